"""Bluke Arena: the game, its referee, and the arena in which bots meet."""

__version__ = "0.1.0"
