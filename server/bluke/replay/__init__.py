"""Replay files, format `bluke-replay/1`: write, read, verify and show them (docs/replays.md)."""
