"""The game of Bluke: cards, dealing, legality, tricks, score and schedule.

Pure: no clock, no network, no disk and no randomness but what follows from a seed (RULES 8).
Sections of RULES are those of the project's `docs/rules.md`.
"""

from bluke.rules.cards import BLUKES, CARDS, HI, LO, Card, CardSet, Suit
from bluke.rules.dealing import Draw, Packs, SeededPacks, commitment, game_seed
from bluke.rules.game import Asked, Bid, Dealt, Event, Game, Played, Scored, TrickTaken
from bluke.rules.options import MAX_SEATS, MIN_SEATS, BlukeLed, CutRule, Rules, Variant
from bluke.rules.score import Outcome, outcome, places, points
from bluke.rules.tricks import legal_plays, trick_winner

__all__ = [
    "BLUKES",
    "CARDS",
    "HI",
    "LO",
    "MAX_SEATS",
    "MIN_SEATS",
    "Asked",
    "Bid",
    "BlukeLed",
    "Card",
    "CardSet",
    "CutRule",
    "Dealt",
    "Draw",
    "Event",
    "Game",
    "Outcome",
    "Packs",
    "Played",
    "Rules",
    "Scored",
    "SeededPacks",
    "Suit",
    "TrickTaken",
    "Variant",
    "commitment",
    "game_seed",
    "legal_plays",
    "outcome",
    "places",
    "points",
    "trick_winner",
]
