"""Explaining games after the fact: what the cards did and what a bot could have done otherwise.

Pure but for the processes that `explain_game` may start: the same replay gives the same explanation.
"""

from bluke.analysis.endgame import Chance, Endgame, Slip
from bluke.analysis.estimates import Option, Regret
from bluke.analysis.explain import Decision, Explanation, HandExplanation, Maker, explain_game
from bluke.analysis.facts import SeatFacts
from bluke.analysis.known import Known
from bluke.analysis.policy import POLICIES
from bluke.analysis.sampler import sample_deals
from bluke.analysis.summary import SeatSummary, summarize

__all__ = [
    "POLICIES",
    "Chance",
    "Decision",
    "Endgame",
    "Explanation",
    "HandExplanation",
    "Known",
    "Maker",
    "Option",
    "Regret",
    "SeatFacts",
    "SeatSummary",
    "Slip",
    "explain_game",
    "sample_deals",
    "summarize",
]
