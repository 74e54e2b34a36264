"""A game in a terminal, step by step: what is shown and where keys lead is worked out without a terminal."""
