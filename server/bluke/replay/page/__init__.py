"""A replay as a page for a browser: one file that holds all it needs, and an index of many."""
