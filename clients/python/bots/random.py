"""A smoke test, not an opponent: bids and plays whatever is legal, all of it equally likely.

Bids that are too high by far are what a uniform choice gives, and no fault.
"""

from __future__ import annotations

import bluke_sdk
from bots.chance import choose


class Random(bluke_sdk.Bot):
    """Any legal bid, any legal card."""

    name = "random"

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Choose among all bids."""
        return choose(view, view.legal)

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Choose among all legal cards."""
        return choose(view, view.legal)


if __name__ == "__main__":
    bluke_sdk.run(Random)
