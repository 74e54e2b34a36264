"""Is the new version better than the old one: games of a comparison, made into one difference for each board."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from bluke.arena.config import MAX_NAME_BYTES, load_config, program_problem, read_toml
from bluke.arena.statistics.sequential import Sequential, Verdict, unpaired_games
from bluke.errors import ConfigError
from bluke.replay.text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bluke.arena.config import ArenaConfig
    from bluke.arena.record import GameRecord
    from bluke.arena.statistics.sequential import Judgement, Stopping

__all__ = ["Comparing", "Comparison", "answer_lines", "compare", "interval_text", "read_comparison"]

#: What a file says of another schedule than a comparison.
ELSEWHERE = ("challenger", "compare")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of two versions of a bot.

    Attributes:
        new: the name of the new version.
        old: the name of the old one.
        judgement: the verdict, the estimate and its interval, in points a game.
        games: the games that it rests on: those of the boards up to the answer.
        beyond: games that were played by then and are not looked at.
        unpaired: how many games would have told as much without the same deals; `None` where no number would.
        new_points: points a game of the new version on those boards; `None` without any.
        old_points: points a game of the old one.
        forfeited: on how many of those boards either was played out by the referee, or a game was given up.
        stopping: what was asked.
    """

    new: str
    old: str
    judgement: Judgement
    games: int
    beyond: int
    unpaired: int | None
    new_points: float | None
    old_points: float | None
    forfeited: int
    stopping: Stopping

    @property
    def sentence(self) -> str:
        """The verdict in words, without its figures."""
        return SENTENCES[self.judgement.verdict]


#: The verdicts as sentences about two versions that are named elsewhere.
SENTENCES = {
    Verdict.BETTER: "the new version is better",
    Verdict.WORSE: "the new version is worse",
    Verdict.SAME: "there is no difference worth having",
    Verdict.UNDECIDED: "undecided",
}


class Comparing:
    """Takes the games of a comparison in whatever order they end, and looks at its boards in theirs.

    Only the boards before the first that is not whole are looked at, so that short games are not favoured, and none
    after the one that gave the answer.

    Args:
        new: the name of the new version.
        old: the name of the old one.
        per_board: the games of a whole board.
        stopping: what is asked.
    """

    def __init__(self, new: str, old: str, per_board: int, stopping: Stopping) -> None:
        self._new = new
        self._old = old
        self._per_board = per_board
        self._sequential = Sequential(stopping)
        self._boards: defaultdict[int, list[GameRecord]] = defaultdict(list)
        self._games = self._forfeited = 0
        self._points: dict[str, list[float]] = {new: [], old: []}

    def add(self, game: GameRecord) -> bool:
        """Take in one more game.

        Returns:
            Whether the answer is known.
        """
        self._games += 1
        self._boards[game.board].append(game)
        # The boards that were looked at are the first ones, so their number is the next one's name.
        while not self.known and len(self._boards[self.boards]) == self._per_board:
            self._look(self._boards[self.boards])
        return self.known

    @property
    def known(self) -> bool:
        """Whether the answer is known."""
        return self.judgement.known

    @property
    def judgement(self) -> Judgement:
        """What is known by now."""
        return self._sequential.judgement

    @property
    def boards(self) -> int:
        """How many boards were looked at."""
        return self.judgement.boards

    def _look(self, games: Iterable[GameRecord]) -> None:
        points: dict[str, list[float]] = {self._new: [], self._old: []}
        forfeited = False
        for game in games:
            for seat, name in enumerate(game.bots):
                if name in points:
                    points[name].append(game.totals[seat])
            forfeited |= game.forfeited
        self._forfeited += forfeited
        for name, values in points.items():
            # One seat after the other in the order of their games would make the figures depend on it.
            self._points[name] += sorted(values)
        self._sequential.add(fmean(points[self._new]) - fmean(points[self._old]))

    def result(self) -> Comparison:
        """What is known by now."""
        judgement = self.judgement
        used = judgement.boards * self._per_board
        new, old = (self._points[name] for name in (self._new, self._old))
        unpaired = None
        if judgement.deviation is not None:
            unpaired = unpaired_games(judgement.deviation, judgement.boards, stdev(new), stdev(old))
        return Comparison(
            new=self._new,
            old=self._old,
            judgement=judgement,
            games=used,
            beyond=self._games - used,
            unpaired=unpaired,
            new_points=fmean(new) if new else None,
            old_points=fmean(old) if old else None,
            forfeited=self._forfeited,
            stopping=self._sequential.stopping,
        )


def compare(games: Iterable[GameRecord], new: str, old: str, per_board: int, stopping: Stopping) -> Comparison:
    """What the games of a comparison say."""
    comparing = Comparing(new, old, per_board, stopping)
    for game in games:
        comparing.add(game)
    return comparing.result()


# In words


def answer_lines(comparison: Comparison) -> Iterator[str]:
    """What is known, in sentences: the answer with its estimate first."""
    judgement, asked = comparison.judgement, comparison.stopping
    new, old = visible(comparison.new), visible(comparison.old)
    yield f"{judgement.verdict.value}: {new} - {old} is {interval_text(judgement)}"
    if judgement.boards == 0:
        return
    if judgement.verdict is Verdict.SAME and judgement.clear:
        ahead, behind = (new, old) if judgement.mean > 0 else (old, new)
        yield f"{ahead} surely is ahead of {behind}, but by less than the {asked.worth:g} points a game worth having"
    elif judgement.verdict is Verdict.UNDECIDED:
        yield "more boards make the interval narrower: --boards"
    more = f"; with deals of its own for each about {comparison.unpaired} games" if comparison.unpaired else ""
    yield f"{counted(judgement.boards, 'board')}, {counted(comparison.games, 'game')}{more}"
    yield (
        f"points a game: {new} {comparison.new_points:.1f}, {old} {comparison.old_points:.1f}; they scored differently "
        f"on {judgement.differing} of {counted(judgement.boards, 'board')}"
    )
    if comparison.forfeited:
        yield (
            f"on {counted(comparison.forfeited, 'board')} somebody was played out by the referee or forfeited a game; "
            "those boards count as they were scored"
        )


def interval_text(judgement: Judgement) -> str:
    """The estimate and its interval, or that there is none yet."""
    if judgement.low is None or judgement.high is None:
        return f"{judgement.mean:+.1f} points a game, not enough data for an interval" if judgement.boards else NOTHING
    # Towards zero a rounded end could seem to say more than is known: 0.04 is no 0.0 that could be either.
    digits = 1 if min(abs(judgement.low), abs(judgement.high)) >= 0.05 else 3
    return f"{judgement.mean:+.1f} points a game ({judgement.low:+.{digits}f} to {judgement.high:+.{digits}f})"


NOTHING = "not known: no board was played to the end"


# What is to be compared


def read_comparison(
    path: Path,
    *,
    new: str,
    old: str,
    field: Sequence[str] = (),
    boards: int = 1000,
    worth: float | None = None,
    error: float | None = None,
    swing: float | None = None,
    seats: int | None = None,
    seed: str | None = None,
    tables: int | None = None,
    jobs: int | None = None,
) -> ArenaConfig:
    """Make a comparison of a roster.

    Args:
        path: the roster.
        new: the name of a bot in it, or a command, which runs in the current folder.
        old: the same.
        field: names of those whom both play against; left out, all others that may meet them.
        boards: the most deals to play.
        worth: the smallest difference worth having; `None`, here and below, for what the file says or the default.
        error: how often the answer may be wrong.
        swing: by how much one board more may differ.
        seats: seats at a table.
        seed: the match seed as text.
        tables: games played at once.
        jobs: processes that play them.

    Raises:
        ConfigError: something is wrong; the message says what would be right.
    """
    data = read_toml(path)
    given = {"seats": seats, "seed": seed, "tables": tables, "jobs": jobs, "boards": boards, "schedule": "compare"}
    asked = {"worth": worth, "error": error, "swing": swing}
    roster = {bot.get("name"): bot for bot in data.get("bots", []) if isinstance(bot, dict)}
    two = [_bot(word, roster, path) for word in (new, old)]
    names = [bot["name"] for bot in two]
    others = [_bot(name, roster, path, command=False) for name in field] or _others(two, roster.values(), data)
    known = {key: value for key, value in data.items() if key not in ELSEWHERE}
    if seed is not None:
        known.pop("seed_hex", None)
    return load_config(
        known
        | {key: value for key, value in given.items() if value is not None}
        | {"bots": [*two, *others]}
        | {"compare": {"new": names[0], "old": names[1]} | {k: v for k, v in asked.items() if v is not None}},
        where=f"{path}, to compare {names[0]!r} with {names[1]!r}",
        folder=path.absolute().parent,
    )


def _bot(word: str, roster: Mapping[Any, dict[str, Any]], path: Path, *, command: bool = True) -> dict[str, Any]:
    """The bot of that name or, unless it has to be a name, of that command."""
    if word in roster:
        return roster[word]
    here = Path.cwd()
    try:
        argv = shlex.split(word) if command else []
    except ValueError:
        argv = []
    if argv and program_problem(argv[0], str(here)) is None:
        # Cut to what fits in a name; two commands that differ only after that are told apart by whoever names them.
        name = word.encode()[:MAX_NAME_BYTES].decode(errors="ignore")
        return {"name": name, "command": argv, "folder": str(here)}
    bots = ", ".join(repr(name) for name in roster) or "none"
    msg = f"{path}: there is no bot {word!r}; the bots there are {bots}"
    if argv:
        msg += f". Nor is it a command: {program_problem(argv[0], str(here))}"
    raise ConfigError(msg)


def _others(
    two: Sequence[dict[str, Any]], roster: Iterable[dict[str, Any]], data: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Everybody else, but for bots that never meet these since they are by the same author."""
    authors = set() if data.get("same_author") else {bot.get("author") for bot in two} - {None, ""}
    return [bot for bot in roster if bot not in two and bot.get("author") not in authors]
