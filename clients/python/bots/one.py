"""The least that can be right: bids one and plays at random.

One trick is nearly always made, so this bot shows what bidding alone is worth.
"""

from __future__ import annotations

import bluke_sdk
from bots.chance import choose


class One(bluke_sdk.Bot):
    """One trick, any legal card."""

    name = "one"

    def bid(self, view: bluke_sdk.BidView) -> int:  # noqa: ARG002 - it looks at nothing
        """Bid one."""
        return 1

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Choose among all legal cards."""
        return choose(view, view.legal)


if __name__ == "__main__":
    bluke_sdk.run(One)
