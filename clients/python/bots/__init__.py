"""The reference bots, weakest first: random, one, rule and mc.

Run one as `python -m bots.rule` from `clients/python`, with `BLUKE_SERVER` and `BLUKE_TOKEN` set.
Each is a pure function of what it is shown: the same game plays out the same again.
"""
