"""The arena: a roster of bots, their processes, a schedule, and what the results say."""
