"""How fast this is, always beside something else in the same run (docs/performance.md)."""
