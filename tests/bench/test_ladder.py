from __future__ import annotations

import tomllib

import msgspec
import pytest

from bluke.arena.config import ArenaConfig
from bluke.bench import ladder
from bluke.errors import ArenaError


def test_configuration():
    """Four processes of `rule` at one table, found from any folder."""
    config = msgspec.convert(tomllib.loads(ladder._configuration(3)), ArenaConfig)
    assert (config.seats, config.boards, len(config.bots)) == (4, 3, 4)
    assert (ladder.bots_folder() / "bots/rule.py").is_file()


def test_folder_of_a_wheel(tmp_path, monkeypatch):
    """Where a wheel carries the bots they are taken from there."""
    (tmp_path / "clients/python/bots").mkdir(parents=True)
    (tmp_path / "clients/python/bots/rule.py").touch()
    monkeypatch.setattr(ladder, "SHIPPED", tmp_path)
    assert ladder.bots_folder() == tmp_path / "clients/python"


def test_no_bots(tmp_path, monkeypatch):
    """Without them it is said what to do."""
    monkeypatch.setattr(ladder, "SHIPPED", tmp_path)
    monkeypatch.setattr(ladder, "CHECKOUT", tmp_path)
    with pytest.raises(ArenaError, match="install bluke-arena again"):
        ladder.bots_folder()


@pytest.mark.slow
def test_ladder(tmp_path):
    """One board is played, recorded and verified, and nothing is left of it."""
    played = ladder.play_ladder(tmp_path, 1)
    assert set(played) == {"rate", "whole", "verified"}
    assert min(played.values()) > 0
    assert list(tmp_path.iterdir()) == []
