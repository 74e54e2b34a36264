"""Figures for Prometheus: what a referee is doing, and what it has done (extra `observe`)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bluke.referee.server import Referee
    from bluke.referee.spec import Finished

__all__ = ["Metrics"]

#: Upper ends of the classes of decision times, in seconds.
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)


class Metrics:
    """Counts the games of a referee as they end, so that nothing is counted while one is played.

    Raises:
        ConfigError: the extra is not installed.
    """

    def __init__(self, referee: Referee) -> None:
        """Begin with no game."""
        try:
            import prometheus_client  # noqa: PLC0415 - an extra, and slow to import
            from prometheus_client import core  # noqa: PLC0415
        except ImportError:
            msg = "--metrics needs the extra observe: pip install 'bluke-arena[observe]'"
            raise ConfigError(msg) from None
        self._prometheus = prometheus_client
        self._core = core
        self._referee = referee
        self._games: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._classes = [0] * (len(SECONDS) + 1)
        self._seconds = 0.0

    def count(self, finished: Finished) -> None:
        """Count a game that is over."""
        self._games[finished.result.status.value] += 1
        self._faults.update(fault.kind.value for fault in finished.faults)
        for decisions in finished.decision_ms:
            for ms in decisions:
                self._classes[bisect_left(SECONDS, ms / 1000)] += 1
                self._seconds += ms / 1000

    def collect(self) -> Iterator[Any]:
        """The figures, as a Prometheus registry asks for them."""
        core = self._core
        referee = self._referee
        games = core.CounterMetricFamily("bluke_games", "Games that are over, by status", labels=["status"])
        for status, number in sorted(self._games.items()):
            games.add_metric([status], number)
        yield games
        faults = core.CounterMetricFamily("bluke_faults", "Faults charged, by kind", labels=["kind"])
        for kind, number in sorted(self._faults.items()):
            faults.add_metric([kind], number)
        yield faults
        ends = [*map(str, SECONDS), "+Inf"]
        times = core.HistogramMetricFamily("bluke_decision_seconds", "Time of the decisions that bots made themselves")
        times.add_metric([], list(zip(ends, accumulate(self._classes), strict=True)), self._seconds)
        yield times
        yield core.GaugeMetricFamily("bluke_games_running", "Games that are being played", len(referee.tables))
        connected = sum(bot.connected for bots in list(referee.bots.values()) for bot in list(bots))
        yield core.GaugeMetricFamily("bluke_bots_connected", "Bots with a stream", connected)
        yield core.CounterMetricFamily("bluke_lag_seconds", "The referee's own lateness", referee.lag_seconds)

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[int]:
        """Serve the figures under `/metrics` while the context lasts; gives the port.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        registry = self._prometheus.CollectorRegistry()
        registry.register(self)
        try:
            server, thread = self._prometheus.start_http_server(port, host, registry)
        except OSError as error:
            msg = f"--metrics {host}:{port}: cannot be listened on: {error.strerror}; choose another port"
            raise ConfigError(msg) from None
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
