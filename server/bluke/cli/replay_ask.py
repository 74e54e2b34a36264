"""`bluke replay ask`, `check` and `branch`: what a bot would do now, and what would come of it."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bluke.arena.log import log_to
from bluke.cli.loop import run_loop
from bluke.cli.replay_files import ReplayFile, say
from bluke.replay.text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence

    from bluke.arena.rematch.ask import Answers, Questions, Summoned
    from bluke.arena.rematch.branch import BranchResult
    from bluke.arena.rematch.plan import BranchPlan
    from bluke.arena.rematch.recorded import Candidate
    from bluke.referee.asking import Reply

__all__ = ["ask", "branch", "check"]

T = TypeVar("T")

#: So many of the last lines of a bot's log are shown when it was at fault.
LAST_WORDS = 12


class BotCommand(click.Command):
    """A command whose line ends in ` -- COMMAND...`: how a bot is started."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take away what stands behind the two dashes."""
        ctx.obj = ()
        if "--" in args:
            at = args.index("--")
            ctx.obj, args = tuple(args[at + 1 :]), args[:at]
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # A command without the dashes looks like arguments too many.
            if not ctx.obj and error.message.startswith("Got unexpected extra argument"):
                text = f"{error.message}; a bot's command stands at the end, behind two dashes: -- COMMAND"
                raise click.UsageError(text, ctx) from None
            raise

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Say that it is there."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]


REPLAY = click.argument("file", type=ReplayFile())
CONFIG = click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file with the bots.  [default: the arena.toml of the run that the replay lies in]",
)
LOG = click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Keep here what the bot prints.")
JSON = click.option("--json", "as_json", is_flag=True, help="A JSON object for programs instead of the text.")


@click.command(cls=BotCommand)
@REPLAY
@click.option("--seat", type=click.IntRange(0), help="The seat that is asked, unless --at names it.")
@click.option("--at", help="Only this decision: HAND.TRICK such as 3.7, HAND.bid, or HAND.cut; all count from 0.")
@click.option("--clock/--no-clock", default=True, help="With the clock of then, or without.  [default: with it]")
@click.option("--attach", is_flag=True, help="Wait for a debugger before the first question; no clock.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Keep the answers for `check`.")
@click.option("--bot", help="A bot of the roster, instead of a command.")
@CONFIG
@LOG
@JSON
@click.pass_context
def ask(
    ctx: click.Context,
    file: Path,
    *,
    seat: int | None,
    at: str | None,
    clock: bool,
    attach: bool,
    save: Path | None,
    bot: str | None,
    config: Path | None,
    log: Path | None,
    as_json: bool,
) -> int:
    """Ask a bot what a seat of a recorded game was asked, each decision as it was asked then.

    COMMAND starts the bot. Whatever it answers, the recorded move is made, so that every later question is the one of
    then. Where it now differs is shown, with what it saw.

    Exit code: 0 if it does nowhere, 1 if it differs, was at fault or cannot be started, or the file is wrong, 2 for a
    wrong option, 130 after Ctrl-C.
    """
    from bluke.arena.rematch.ask import Verdict, judge_reply
    from bluke.arena.rematch.regression import check_free, write_regression
    from bluke.arena.rematch.words import answers_data, reply_lines, summary_lines

    if save is not None:
        check_free(save)
    questions = _questions(file, seat, at, clock=clock and not attach)
    candidate = _candidate(file, ctx.obj, bot=bot, config=config)

    def show(reply: Reply) -> None:
        if not as_json and (at is not None or judge_reply(reply) is not Verdict.SAME):
            _say(reply_lines(reply))

    async def work(bot: Summoned) -> Answers:
        return await bot.ask(questions, show)

    answers, words = _with_bot(candidate, work, ready=_wait_for_enter if attach else None, log=log)
    if as_json:
        _print_json(answers_data(answers))
    else:
        _say(summary_lines(answers))
        _say(_play_on(answers))
    verdicts = {judge_reply(reply) for reply in answers.replies}
    if Verdict.FAULT in verdicts or answers.broken_off:
        _say_last_words(words)
    if save is not None and answers.complete:
        write_regression(save, answers)
        _say([f"saved {counted(len(answers.replies), 'answer')} to {save}"], err=as_json)
    elif save is not None:
        _say(["not saved, since not all was asked"], err=True)
    if answers.stopped:
        return 130
    return 0 if answers.complete and not verdicts & {Verdict.DIFFERS, Verdict.FAULT} else 1


def _questions(file: Path, seat: int | None, at: str | None, *, clock: bool) -> Questions:
    """What is to be asked.

    Raises:
        ConfigError: there is no such moment.
        ReplayError: the file is no sound replay of a finished game.
        click.UsageError: the seat was asked nothing, or none is named.
    """
    from bluke.arena.rematch.ask import Questions
    from bluke.arena.rematch.recorded import lineup_of, read_recorded
    from bluke.replay.steps import find_step, parse_moment

    moment = None if at is None else parse_moment(at)
    recorded = read_recorded(file)
    if seat is None and moment is not None and moment.which is not None:
        seat = recorded.steps[find_step(recorded.steps, moment)].seat
    if seat is None:
        who = ", ".join(f"{number} {visible(name)}" for number, name in enumerate(lineup_of(recorded)))
        raise click.UsageError(f"which seat is asked? Name it with --seat: {who}")
    if seat >= recorded.seats:
        raise click.BadParameter(f"there is no seat {seat}: seats are 0 to {recorded.seats - 1}", param_hint="--seat")
    first, stop = 0, len(recorded.steps)
    if moment is not None:
        first = find_step(recorded.steps, moment, seat)
        stop = first + 1
    questions = Questions(recorded, seat, first, stop, clock)
    if not questions.count:
        what = "anything in this game" if at is None else f"at {at}"
        raise click.UsageError(f"seat {seat} was not asked {what}: the referee made its moves")
    return questions


@click.command(cls=BotCommand)
@click.argument(
    "regressions",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="REGRESSION...",
)
@LOG
@JSON
@click.pass_context
def check(ctx: click.Context, regressions: tuple[Path, ...], *, log: Path | None, as_json: bool) -> int:
    """Ask a bot again what an earlier version of it was asked, and say what has changed.

    REGRESSION is a file that `bluke replay ask --save` wrote. COMMAND starts the bot.

    Exit code: 0 if nothing has changed, 1 if something has or the bot was at fault, 2 for a wrong file or option.
    """
    from bluke.arena.rematch.regression import read_regression
    from bluke.arena.rematch.words import held_data, held_lines, unchanged

    candidate = _candidate(None, ctx.obj)
    files = [read_regression(path) for path in regressions]

    async def work(bot: Summoned) -> list[Answers]:
        asked = []
        for regression in files:
            asked.append(await bot.ask(regression.questions))
            if not as_json:
                _say(held_lines(regression, asked[-1]))
            if asked[-1].stopped:
                break
        return asked

    asked, words = _with_bot(candidate, work, log=log, restarts=len(files))
    if as_json:
        _print_json([held_data(*pair) for pair in zip(files, asked, strict=False)])
    if any(answers.broken_off for answers in asked):
        _say_last_words(words)
    if asked and asked[-1].stopped:
        return 130
    return 0 if all(unchanged(*pair) for pair in zip(files, asked, strict=True)) else 1


@click.command()
@REPLAY
@click.option(
    "--at",
    required=True,
    help="The moment: HAND.TRICK or HAND.TRICK.CARD such as 3.7.2, HAND.bid.SEAT, or HAND.cut; all count from 0.",
)
@click.option("--seats", help='Who sits where: names with commas; "-", and what is not there, is the bot of then.')
@click.option("--move", help="The move made at that moment: a card such as 9D, or a number.")
@click.option("--times", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How often it is played.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="The folder for the new games.")
@CONFIG
@JSON
def branch(
    file: Path,
    *,
    at: str,
    seats: str | None,
    move: str | None,
    times: int,
    out: Path | None,
    config: Path | None,
    as_json: bool,
) -> int:
    """Play on from a moment of a recorded game, with other bots or another move, and say how the score moves.

    The cards stay those of then, also of later hands. Each game is a replay of its own that names its parent.

    Exit code: 0 if every game was played, 1 after a failure or if the file is wrong, 2 for a wrong option, 130 after
    Ctrl-C.
    """
    from bluke.arena.rematch.branch import branch_data, make_folder, play_branch
    from bluke.arena.rematch.plan import plan_branch
    from bluke.arena.rematch.words import plan_lines, result_lines

    plan = plan_branch(file, at, seats=seats, move=move, times=times, out=out, config=config)
    make_folder(plan)
    if not as_json:
        _say(plan_lines(plan))

    async def work(stop: asyncio.Event) -> BranchResult:
        with log_to(plan.folder.referee_log):
            return await play_branch(plan, stop, _Progress(times, quiet=as_json).game)

    result = run_loop(work)
    if as_json:
        _print_json(branch_data(result))
    elif result.games:
        _say(result_lines(result))
        _say(_look_closer(plan, result))
    if result.stopped:
        _say([f"stopped after {len(result.games)} of {times} games"], err=True)
        return 130
    return 0


class _Progress:
    """Says now and then how many games were played, on stderr."""

    EVERY_SECONDS = 10.0

    def __init__(self, games: int, *, quiet: bool) -> None:
        self._games = games
        self._quiet = quiet
        self._said = time.monotonic()

    def game(self, done: int) -> None:
        if not self._quiet and time.monotonic() - self._said >= self.EVERY_SECONDS:
            self._said = time.monotonic()
            # Whoever was told may have gone; the games go on and are kept.
            with suppress(OSError):
                _say([f"{done} of {self._games} games"], err=True)


def _look_closer(plan: BranchPlan, result: BranchResult) -> Iterator[str]:
    from bluke.arena.terminal import bluke_command

    first = result.games[min(result.games)]
    yield f"show the first    {bluke_command()} replay show {shlex.quote(str(first.replay))} --hand {plan.step.hand}"
    yield f"check every game  {bluke_command()} replay verify {shlex.quote(str(plan.folder.replays))}"


def _candidate(
    file: Path | None, command: Sequence[str], *, bot: str | None = None, config: Path | None = None
) -> Candidate:
    """The bot that is to be asked.

    Raises:
        ConfigError: there is no such bot or program.
        click.UsageError: none was named, or two.
    """
    from bluke.arena.rematch.recorded import Candidate, commanded, named, roster_of

    if bot is not None and command:
        raise click.UsageError("give a COMMAND or --bot, not both")
    if bot is None and config is not None:
        raise click.UsageError("--config goes with --bot")
    if bot is not None and file is not None:
        roster = roster_of(file, config)
        return Candidate(named(roster, bot), roster.limits, roster.start_seconds)
    if not command:
        end = "or name one with --bot" if file is not None else "such as -- python my_bot.py"
        raise click.UsageError(f"how is the bot started? End the line with -- COMMAND, {end}")
    return Candidate(commanded(command))


def _with_bot(
    candidate: Candidate,
    work: Callable[[Summoned], Awaitable[T]],
    *,
    log: Path | None,
    ready: Callable[[int], Coroutine[Any, Any, None]] | None = None,
    restarts: int = 0,
) -> tuple[T, list[str]]:
    """Start a bot and do something with it; returns what came of that, and the last lines that the bot printed.

    Raises:
        KeyboardInterrupt: it was stopped before anything could be asked.
        ArenaError: the bot cannot be started, or the referee failed.
        ConfigError: the log cannot be kept.
    """
    from bluke.arena.keeper import Stopped
    from bluke.arena.process import StartError
    from bluke.arena.rematch.ask import summoned

    with tempfile.TemporaryDirectory(prefix="bluke-") as name:
        folder = Path(name)

        async def run(stop: asyncio.Event) -> T:
            with log_to(folder / "referee.log"):
                async with summoned(candidate, folder, stop, restarts=restarts, ready=ready) as bot:
                    return await work(bot)

        try:
            done = run_loop(run)
        except Stopped:
            raise KeyboardInterrupt from None
        except StartError as error:
            # The log that it names is about to be removed.
            lines = [line for line in str(error).splitlines() if not line.startswith("  log: ")]
            raise StartError("\n".join(lines)) from None
        finally:
            printed = _printed(folder)
            if log is not None:
                _keep(log, printed)
        return done, printed.decode(errors="replace").splitlines()[-LAST_WORDS:]


def _printed(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / "bots").glob("*.log")))


def _keep(log: Path, printed: bytes) -> None:
    from bluke.errors import ConfigError

    try:
        log.write_bytes(printed)
    except OSError as error:
        msg = f"{log}: cannot be written: {error.strerror}; name another file with --log"
        raise ConfigError(msg) from None


async def _wait_for_enter(pid: int) -> None:
    """Say which process the bot is, and wait until somebody presses Enter or there is nobody who could."""
    _say([f"the bot is process {pid}; attach a debugger to it, then press Enter"], err=True)
    loop = asyncio.get_running_loop()
    pressed = loop.create_future()

    def press() -> None:
        if not pressed.done():
            pressed.set_result(None)

    def read() -> None:
        # Not through sys.stdin: whoever waits in it when Python ends is in the way.
        with suppress(OSError):
            os.read(0, 4096)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(press)

    threading.Thread(target=read, daemon=True).start()
    await pressed


def _play_on(answers: Answers) -> Iterator[str]:
    """The command that plays on from the first decision that is made otherwise now."""
    from bluke.arena.rematch.ask import Verdict, judge_reply
    from bluke.arena.terminal import bluke_command

    for reply in answers.replies:
        if judge_reply(reply) is Verdict.DIFFERS:
            file = shlex.quote(str(answers.questions.recorded.path))
            command = f"{bluke_command()} replay branch {file} --at {reply.step.moment} --move {reply.value}"
            yield f"what would have come of the first  {command}"
            return


def _say_last_words(lines: Sequence[str]) -> None:
    if lines:
        _say(["the last that the bot printed:", *(f"  | {visible(line)}" for line in lines)], err=True)


def _print_json(data: object) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(data), indent=1).decode())


def _say(lines: Iterable[str], *, err: bool = False) -> None:
    for line in lines:
        say(line, err=err)
