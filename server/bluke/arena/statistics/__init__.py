"""What the results of runs say about bots, and how sure that is."""
