"""The page of one game."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from msgspec import Struct

from bluke.replay.page.parts import page
from bluke.replay.page.steps import FaultPart, HandPart, Step, Story, prose, story
from bluke.replay.records import REGRET
from bluke.replay.text import counted, named, visible
from bluke.replay.verify import verify_replay
from bluke.wire.values import Status

if TYPE_CHECKING:
    from bluke.replay.reader import Replay
    from bluke.replay.verify import Verdict

__all__ = ["GameData", "GamePage", "game_page"]

STYLES = ("base.css", "table.css", "panels.css")
SCRIPTS = ("base.js", "cards.js", "table.js", "words.js", "panels.js", "sheet.js", "player.js")


class GameData(Struct, frozen=True, kw_only=True):
    """What the script of the page works on.

    Attributes:
        names: by seat.
        schedule: the size of every hand of the game, also of those that were not played.
        rounds: the rounds of the draw, each of `[seat, card]`.
        dealer: who won the draw, `None` if the file ends before it.
        keeper: the scorekeeper, likewise.
        hands: those that were dealt.
        steps: see `Step`.
        faults: see `FaultPart`.
        status: `complete`, `forfeited`, `void` or `unfinished`.
        places: by seat, `None` if nobody was placed.
        regret: how the note of a regretted move begins.
    """

    names: tuple[str, ...]
    schedule: tuple[int, ...]
    rounds: tuple[tuple[tuple[int, str], ...], ...]
    dealer: int | None
    keeper: int | None
    hands: tuple[HandPart, ...]
    steps: tuple[Step, ...]
    faults: tuple[FaultPart, ...]
    status: str
    places: tuple[int, ...] | None
    regret: str = REGRET


class GamePage(Struct, frozen=True):
    """A page that was made: its HTML, how many hands and steps it has, and the address of a move in it."""

    html: str
    hands: int
    steps: int
    example: str


def game_page(replay: Replay, index: str = "") -> GamePage:
    """Make the page of one game.

    Args:
        replay: the game, finished or not.
        index: the address of the page that lists it, relative to this one; empty for none.

    Raises:
        ReplayFileError: it holds a move that the rules refuse.
    """
    told = story(replay)
    verdict = verify_replay(replay)
    header, end = replay.header, replay.end
    data = GameData(
        names=told.names,
        schedule=told.schedule,
        rounds=told.rounds,
        dealer=told.dealer,
        keeper=told.keeper,
        hands=told.hands,
        steps=told.steps,
        faults=told.faults,
        status="unfinished" if end is None else end.status.value,
        places=told.places,
    )
    html = page(
        "game.html",
        styles=STYLES,
        scripts=SCRIPTS,
        data=data,
        names=told.names,
        file=visible(replay.path.name),
        game=visible(header.game),
        about=_about(replay),
        notices=_notices(replay, verdict),
        players=_players(replay, told),
        facts=_facts(replay, verdict),
        index=index,
    )
    return GamePage(html, len(told.hands), len(told.steps), _example(told))


def _example(told: Story) -> str:
    """The address of a move in the middle, as an example."""
    moves = [step.at for step in told.steps if step.trick is not None] or [step.at for step in told.steps]
    return moves[len(moves) // 2]


def _about(replay: Replay) -> list[str]:
    """What was settled before the game, in a few words each."""
    header = replay.header
    rules, limits = header.rules, header.limits
    words = [f"match {visible(header.match)}, deal {header.deal}", f"{rules.seats} seats"]
    words.append("New Jersey variant" if rules.variant.value == "new_jersey" else "standard variant")
    words.append(counted(len(rules.schedule), "hand"))
    if rules.bluke_led.value == "trump":
        words.append("a led Bluke calls for trumps")
    if rules.cut.value == "player":
        words.append("players cut")
    clock = "no clock" if limits.decision_ms is None else f"{limits.decision_ms / 1000:g} s a decision"
    words += [clock, limits.policy.value, f"{header.started.astimezone(UTC):%Y-%m-%d %H:%M} UTC"]
    if header.parent is not None:
        parent = header.parent
        words.append(f"branched from game {visible(parent.game)} at hand {parent.hand}, trick {parent.trick}")
        if parent.moves is not None:
            words.append(f"whose first {parent.moves} moves it shares")
        if parent.players:
            words.append("played by " + ", ".join(named(player.name) for player in parent.players))
    return words


def _notices(replay: Replay, verdict: Verdict) -> list[str]:
    """What a reader must know before believing the page."""
    end = replay.end
    reason = f": {prose(end.reason)}" if end is not None and end.reason else ""
    notices = [f"Careful: {problem}." for problem in replay.problems]
    if end is None:
        told = sum(hand.score is not None for hand in replay.hands)
        hands = len(replay.header.rules.schedule)
        notices.append(f"This game was not finished: the file holds {told} of {hands} hands to their end.")
        return notices
    if end.status is Status.VOID:
        notices.append(f"This game is void and was not counted{reason}.")
    if end.status is Status.FORFEITED:
        notices.append(f"This game was forfeited{reason}.")
    if not verdict.ok:
        notices.append(f"This file does not agree with its own seed and the rules: {_words(verdict)}.")
    return notices


class PlayerRow(Struct, frozen=True):
    """A player in the table of the result; places and totals are as in the file."""

    seat: int
    name: str
    about: str
    place: int | None
    total: int
    sets: int
    overtricks: int
    perfects: int
    faults: int
    played_out: bool


def _players(replay: Replay, told: Story) -> list[PlayerRow]:
    end = replay.end
    letters = [step.outcomes for step in told.steps if step.outcomes]
    rows = []
    for seat, player in enumerate(replay.header.players):
        mine = [outcomes[seat] for outcomes in letters]
        about = [player.version, player.author and f"by {player.author}", player.sdk]
        rows.append(
            PlayerRow(
                seat=seat,
                name=named(player.name),
                about=visible(", ".join(filter(None, about))),
                place=None if end is None or end.places is None else end.places[seat],
                total=told.steps[-1].totals[seat],
                sets=mine.count("S"),
                overtricks=mine.count("O"),
                perfects=mine.count("P"),
                faults=sum(fault.seat == seat for fault in told.faults),
                played_out=end is not None and seat in end.played_out,
            )
        )
    return sorted(rows, key=lambda row: (row.place or 0, -row.total, row.seat))


def _facts(replay: Replay, verdict: Verdict) -> list[tuple[str, str]]:
    """What the file says to whoever wants to check it."""
    header, end = replay.header, replay.end
    facts = [
        ("file", replay.path.name),
        ("game", header.game),
        ("match", header.match),
        ("deal", str(header.deal)),
        ("referee", header.server),
        ("commitment", header.commitment.hex()),
    ]
    if end is None:
        facts.append(("seed", "not in the file: nothing proves the deals of a game that was not finished"))
    else:
        facts += [("game seed", end.game_seed), ("match seed", end.match_seed or "not told")]
        facts += [
            ("SHA-256 in the file", end.sha256),
            ("finished", f"{end.finished.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"),
        ]
    facts.append(("SHA-256 worked out", replay.sha256))
    facts.append(("checked as this page was made", _words(verdict)))
    return [(name, visible(value)) for name, value in facts]


def _words(verdict: Verdict) -> str:
    """A verdict without the name of its file."""
    where = "" if verdict.line is None else f"line {verdict.line}: "
    return f"{where}{verdict.problem or 'ok'}"
