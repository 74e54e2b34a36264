"""Conformance: what the protocol asks of a bot, as cases that any bot can be held to."""
