"""The Python SDK for bots that play in a Bluke Arena.

A bot is a class that says how to bid and how to play:

    import bluke_sdk

    class Cautious(bluke_sdk.Bot):
        def bid(self, view):
            return 1

        def play(self, view):
            return max(view.legal, key=lambda card: card.rank)

    bluke_sdk.run(Cautious)
"""

from bluke_sdk._client import sdk_version
from bluke_sdk._run import play, run
from bluke_sdk.bot import Bot
from bluke_sdk.cards import CARDS, HI, LO, Card, Suit
from bluke_sdk.errors import RefusedError, SdkError, SetupError, UnreachableError
from bluke_sdk.views import (
    BidMade,
    BidView,
    BlukeLed,
    CardPlayed,
    CutRule,
    CutView,
    DrawnCard,
    Event,
    FaultCharged,
    GameOver,
    GameStarted,
    HandDealt,
    HandScored,
    LastDecision,
    Limits,
    Outcome,
    Player,
    PlayView,
    Policy,
    Rules,
    Status,
    Trick,
    TrickTaken,
    Variant,
    View,
)

__all__ = [
    "CARDS",
    "HI",
    "LO",
    "BidMade",
    "BidView",
    "BlukeLed",
    "Bot",
    "Card",
    "CardPlayed",
    "CutRule",
    "CutView",
    "DrawnCard",
    "Event",
    "FaultCharged",
    "GameOver",
    "GameStarted",
    "HandDealt",
    "HandScored",
    "LastDecision",
    "Limits",
    "Outcome",
    "PlayView",
    "Player",
    "Policy",
    "RefusedError",
    "Rules",
    "SdkError",
    "SetupError",
    "Status",
    "Suit",
    "Trick",
    "TrickTaken",
    "UnreachableError",
    "Variant",
    "View",
    "play",
    "run",
]

__version__ = sdk_version()
