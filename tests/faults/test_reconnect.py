"""Connections that break at every kind of moment, through a proxy; with the SDK and without."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import grpc
import pytest
from faults.house import HANDS, PATIENCE, ROOT, Household, open_household, until
from faults.oracle import check_moves, healthy_totals
from faults.proxy import Break, Link, Proxy
from referee.desk import make_move
from referee.raw_bot import RawBot

from bluke.arena.config import BotConfig
from bluke.referee.bot import Gone
from bluke.replay.reader import read_replay
from bluke.replay.verify import verify
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from faults.house import Seen

    from bluke.referee import Bot
    from bluke.referee.stream import Stream

SEED = b"reconnect"
#: Nobody is short of time here unless a test says so.
PATIENT = GameLimits(Policy.STRICT, 60_000, grace_ms=60_000)
TELLING = [sys.executable, str(ROOT / "tests" / "faults" / "telling_bot.py")]


class Player:
    """A bot whose stream leads through a proxy, whatever it is made of.

    Attributes:
        bot: the bot to the referee.
        proxy: the way to it.
    """

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.bot: Bot

    def overs(self) -> list[str]:
        """The ids of the games whose end it knows of, each once."""
        raise NotImplementedError


class SdkPlayer(Player):
    """A process with the Python SDK."""

    def __init__(self, proxy: Proxy, house: Household) -> None:
        super().__init__(proxy)
        self._house = house
        self.keeper = house.keeper(BotConfig(name="telling", command=TELLING, folder=str(ROOT)))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        direct = self._house.referee.address
        self._house.referee.address = self.proxy.address
        try:
            await self.keeper.first_start()
            assert self.keeper._running is not None
            self.bot = self.keeper._running.bot
            yield
        finally:
            self._house.referee.address = direct
            self.proxy.refusing = False
            self.proxy.go_on()
            await self.keeper.close()

    def overs(self) -> list[str]:
        text = self.keeper._log.path.read_text()
        return [line.split()[2] for line in text.splitlines() if line.startswith("[out] over ")]


class RawPlayer(Player):
    """A bot in the test's own process without the SDK, which dials again with its key and plays as the healthy do."""

    def __init__(self, proxy: Proxy, house: Household) -> None:
        super().__init__(proxy)
        self._house = house
        self.raws: list[RawBot] = []
        self.refused: list[play_pb.Refusal] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        referee = self._house.referee
        token = referee.expect("raw")
        playing = asyncio.create_task(self._play(token))
        try:
            async with asyncio.timeout(PATIENCE):
                self.bot = await referee.arrival(token)
            yield
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            referee.forget(token, Gone(FaultKind.DISCONNECTED, "the test is over"))

    async def _play(self, token: str) -> None:
        key = b""
        while not self.refused:
            raw = RawBot(self.proxy.address)
            self.raws.append(raw)
            try:
                answer = await raw.hello(token, resume_key=key)
                if answer.HasField("refusal"):
                    self.refused.append(answer.refusal)
                key = raw.welcome.resume_key
                await raw.play(make_move)
            except (grpc.RpcError, AssertionError, asyncio.InvalidStateError):
                await asyncio.sleep(0.01)
            finally:
                with suppress(grpc.RpcError):
                    await raw.close()

    def overs(self) -> list[str]:
        overs: dict[tuple[str, int], play_pb.GameOver] = {}
        told = [message for raw in self.raws for message in raw.told]
        for over in (message.game_over for message in told if message.HasField("game_over")):
            first = overs.setdefault((over.game_id, over.seat), over)
            assert first == over, "the second one says the same as the first"
        return [game for game, _ in overs]


PLAYERS: dict[str, Callable[[Proxy, Household], SdkPlayer | RawPlayer]] = {"sdk": SdkPlayer, "raw": RawPlayer}


@pytest.fixture
async def proxy(house: Household) -> AsyncIterator[Proxy]:
    async with Proxy(house.referee.address) as proxy:
        yield proxy


@pytest.fixture(params=PLAYERS)
def player(
    request: pytest.FixtureRequest, proxy: Proxy, house: Household, mark: str, monkeypatch: pytest.MonkeyPatch
) -> SdkPlayer | RawPlayer:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "clients" / "python"))
    return PLAYERS[request.param](proxy, house)


@pytest.fixture(scope="session")
async def undisturbed(house: Household) -> dict[str, tuple[int, ...]]:
    """The points of the game that all of these tests play, on a line that nobody touches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "clients" / "python"))
        keeper = house.keeper(BotConfig(name="undisturbed", command=TELLING, folder=str(ROOT)))
        try:
            await keeper.first_start()
            async with keeper.at_table() as bot:
                sdk = await house.play([await healthy_bot(house), bot], PATIENT, seed=SEED, number=0)
        finally:
            await keeper.close()
    assert not sdk.finished.faults
    return {"SdkPlayer": sdk.finished.result.totals, "RawPlayer": healthy_totals(2, HANDS, SEED)}


async def healthy_bot(house: Household) -> Bot:
    async with house.healthy[0].at_table() as bot:
        assert bot.gone is None
        return bot


async def play(
    house: Household,
    player: Player,
    *,
    limits: GameLimits = PATIENT,
    number: int = 0,
    at_event: Callable[[play_pb.Event], None] = lambda _: None,
) -> Seen:
    """A game of a healthy bot on seat 0 and the player on seat 1."""
    return await house.play([await healthy_bot(house), player.bot], limits, seed=SEED, number=number, at_event=at_event)


def check(seen: Seen, undisturbed: dict[str, tuple[int, ...]], player: Player) -> None:
    """As if nothing had happened."""
    assert seen.finished.faults == ()
    assert seen.finished.result.status is Status.COMPLETE
    assert seen.finished.result.totals == undisturbed[type(player).__name__]
    check_moves(read_replay(seen.finished.replay), {1})
    assert verify(seen.finished.replay).ok


async def told_once(player: Player, *games: Seen) -> None:
    """The player learns of the end of each game, and no second time that it would notice."""
    wanted = sorted(seen.finished.spec.game_id for seen in games)
    await until(lambda: set(player.overs()) == set(wanted), f"the ends of {wanted}, not of {player.overs()}")
    assert sorted(player.overs()) == wanted


class Breaker:
    """Breaks the connection at the first event that is such a one, `times` times in a row."""

    def __init__(self, proxy: Proxy, how: Break, when: Callable[[play_pb.Event], bool], times: int = 1) -> None:
        self.proxy, self.how, self.when = proxy, how, when
        self.left = times
        proxy.on_up = self._passed

    def __call__(self, event: play_pb.Event) -> None:
        if self.left and self.when(event):
            self._break()
            self.when = lambda _: False

    def _break(self) -> None:
        self.left -= 1
        self.proxy.end(self.how)

    def _passed(self, link: Link) -> None:
        """A connection that followed on a break: its hello is on the way."""
        if self.left and self.proxy.made > 1:
            self._break()


def bid_of_player(event: play_pb.Event) -> bool:
    return event.HasField("bid_made") and event.bid_made.seat == 1


MOMENTS: dict[str, Callable[[play_pb.Event], bool]] = {
    "as the game begins": lambda event: event.HasField("game_opened"),
    "between its answer and its next turn": bid_of_player,
    "in a trick": lambda event: event.HasField("card_played") and event.card_played.seat == 0,
    "between two hands": lambda event: event.HasField("hand_result"),
    "while the end is being settled": lambda event: event.HasField("game_result"),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", Break, ids=lambda how: how.value)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_the_connection_breaks(
    house: Household,
    player: SdkPlayer | RawPlayer,
    undisturbed: dict[str, tuple[int, ...]],
    moment: str,
    how: Break,
):
    """Whenever it breaks, the bot takes its seat back, nobody is charged, and the points are the same."""
    async with player.running():
        breaker = Breaker(player.proxy, how, MOMENTS[moment])
        seen = await play(house, player, at_event=breaker)
        assert breaker.left == 0
        check(seen, undisturbed, player)
        await told_once(player, seen)
        assert player.proxy.made == 2


@pytest.mark.slow
@pytest.mark.parametrize("how", Break, ids=lambda how: how.value)
async def test_it_breaks_with_a_turn_open(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]], how: Break
):
    """An answer that never arrives is given again when the decision is asked again."""
    async with player.running():
        player.proxy.stall(down=False)
        playing = asyncio.create_task(play(house, player))
        # Its answer is in the proxy and goes no further.
        await until(lambda: any(link.held_up for link in player.proxy.links) and player.bot.tables, "the answer")
        player.proxy.end(how)
        player.proxy.go_on()
        seen = await playing
        check(seen, undisturbed, player)
        await told_once(player, seen)


@pytest.mark.slow
@pytest.mark.parametrize("how", Break, ids=lambda how: how.value)
async def test_it_breaks_twice_in_quick_succession(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]], how: Break
):
    """A connection that breaks again while its hello is under way is one more break, and no more than that."""
    async with player.running():
        breaker = Breaker(player.proxy, how, bid_of_player, times=2)
        seen = await play(house, player, at_event=breaker)
        assert breaker.left == 0
        check(seen, undisturbed, player)
        await told_once(player, seen)
        assert player.proxy.made == 3


@pytest.mark.slow
async def test_it_breaks_before_the_hello_has_arrived(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]]
):
    """Nobody has heard of the bot yet: it dials again and is welcomed."""

    def first(link: Link) -> None:
        if player.proxy.made == 1:
            player.proxy.end(Break.RESET)

    player.proxy.on_link = first
    async with player.running():
        seen = await play(house, player)
        check(seen, undisturbed, player)
        assert player.proxy.made == 2


@pytest.mark.slow
async def test_it_breaks_before_the_welcome_has_arrived(
    house: Household,
    player: SdkPlayer | RawPlayer,
    undisturbed: dict[str, tuple[int, ...]],
    monkeypatch: pytest.MonkeyPatch,
):
    """A bot that never got its resume key is the same bot by its token, for as long as it has said nothing else."""
    proxy = player.proxy
    greet = house.referee.greet

    def greet_and_stall(hello: play_pb.Hello, stream: Stream) -> play_pb.Welcome | play_pb.Refusal:
        if proxy.made == 1:
            proxy.stall(up=False)
        return greet(hello, stream)

    monkeypatch.setattr(house.referee, "greet", greet_and_stall)
    async with player.running():
        # It is here to the referee, and knows nothing of that.
        (link,) = proxy.links
        link.end(Break.RESET, link.referee)
        stream = player.bot.stream
        # Not waited for: that the referee notices, which may take it until its pings fail.
        proxy.go_on()
        proxy.end(Break.RESET)
        await until(lambda: player.bot.stream not in {None, stream}, "the bot to be back")
        seen = await play(house, player)
        check(seen, undisturbed, player)
        assert len(house.referee.bots[player.bot.identity.name]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("how", Break, ids=lambda how: how.value)
async def test_it_breaks_between_games(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]], how: Break
):
    """The next game begins without the bot, which takes its seat when it is back; no result is lost or told anew."""
    async with player.running():
        first = await play(house, player)
        player.proxy.refusing = True
        player.proxy.end(how)
        await until(lambda: not player.bot.connected, "the referee to notice")
        playing = asyncio.create_task(play(house, player, number=1))
        await until(lambda: player.bot.tables, "the next game")
        player.proxy.refusing = False
        second = await playing
        check(first, undisturbed, player)
        assert second.finished.faults == ()
        await told_once(player, first, second)


@pytest.mark.slow
async def test_everything_is_delayed(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]]
):
    """A slow line costs time and nothing else."""
    async with player.running():
        player.proxy.delay = 0.01
        seen = await play(house, player)
        check(seen, undisturbed, player)
        assert player.proxy.made == 1


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["up", "down", "both"])
async def test_the_line_stalls_for_a_while(
    house: Household, player: SdkPlayer | RawPlayer, undisturbed: dict[str, tuple[int, ...]], direction: str
):
    """What was held up arrives in the end, and the same stream goes on."""
    async with player.running():
        stalled = asyncio.Event()

        def stall(event: play_pb.Event) -> None:
            if bid_of_player(event) and not stalled.is_set():
                player.proxy.stall(up=direction != "down", down=direction != "up")
                stalled.set()

        playing = asyncio.create_task(play(house, player, at_event=stall))
        await stalled.wait()
        (table,) = player.bot.tables.values()
        await until(lambda: table.game.seat == 1, "its turn")
        player.proxy.go_on()
        check(await playing, undisturbed, player)
        assert player.proxy.made == 1


@pytest.mark.slow
@pytest.mark.parametrize("policy", Policy, ids=lambda policy: policy.value)
@pytest.mark.parametrize("how", Break, ids=lambda how: how.value)
async def test_nobody_comes_back_in_time(house: Household, player: SdkPlayer | RawPlayer, how: Break, policy: Policy):
    """After the grace time the policy of the game applies, once; and the bot that is back too late has lost its key."""
    limits = GameLimits(policy, 60_000, grace_ms=50, max_faults=2)

    def leave(event: play_pb.Event) -> None:
        if bid_of_player(event):
            player.proxy.refusing = True
            player.proxy.end(how)

    async with player.running():
        seen = await play(house, player, limits=limits, at_event=leave)
        assert [(fault.seat, fault.kind) for fault in seen.finished.faults] == [(1, FaultKind.DISCONNECTED)]
        assert "nobody came back within 0.05 s" in seen.finished.faults[0].detail
        lenient = policy is Policy.LENIENT
        assert seen.finished.result.status is (Status.COMPLETE if lenient else Status.FORFEITED)
        assert seen.finished.result.played_out == ((1,) if lenient else ())
        assert seen.finished.result.places == (1, 2)
        check_moves(read_replay(seen.finished.replay), {1})
        assert verify(seen.finished.replay).ok
        player.proxy.refusing = False
        if isinstance(player, RawPlayer):
            await until(lambda: player.refused, "the refusal")
            assert player.refused[0].reason == play_pb.REFUSAL_REASON_RESUME
        else:
            # The SDK says hello anew, without the key: it is another bot to the referee.
            await until(lambda: house.referee.bots.get("telling"), "it to be back")
            assert house.referee.bots["telling"][0] is not player.bot


@pytest.mark.slow
async def test_the_line_is_dead_and_nobody_says_so(tmp_path: Path, mark: str):
    """A connection on which nothing passes any more is given up by the pings; the bot then comes back in time."""
    async with (
        open_household(tmp_path, healthy=0, keepalive_ms=500, ping_timeout_ms=1000) as house,
        Proxy(house.referee.address) as proxy,
        Proxy(house.referee.address) as other_proxy,
    ):
        player, other = RawPlayer(proxy, house), RawPlayer(other_proxy, house)
        async with player.running(), other.running():

            def stall(event: play_pb.Event) -> None:
                if bid_of_player(event) and proxy.made == 1:
                    proxy.stall()

            playing = asyncio.create_task(
                house.play([other.bot, player.bot], PATIENT, seed=SEED, number=0, at_event=stall)
            )
            await until(lambda: not player.bot.connected, "the pings to fail")
            proxy.go_on()
            seen = await playing
    assert seen.finished.faults == ()
    assert seen.finished.result.totals == healthy_totals(2, HANDS, SEED)
