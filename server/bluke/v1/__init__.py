"""Stubs generated from `proto/bluke/v1`; this file alone is committed (`make stubs` makes the rest)."""
