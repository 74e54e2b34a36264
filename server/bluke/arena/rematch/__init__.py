"""A recorded game once more: asking a bot its decisions again, and playing on from a moment of it."""
