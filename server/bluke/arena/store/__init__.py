"""The store: the results of all runs in one file, made from their records and never more than they are."""

from __future__ import annotations

from bluke.arena.store.choose import Selection, choose
from bluke.arena.store.database import STORE, StoreError
from bluke.arena.store.kinds import Kind
from bluke.arena.store.labels import BotKey, labels, matches
from bluke.arena.store.store import Contents, Store, StoredGame, StoredRun, Update, add_run, rebuild, record_folders

__all__ = [
    "STORE",
    "BotKey",
    "Contents",
    "Kind",
    "Selection",
    "Store",
    "StoreError",
    "StoredGame",
    "StoredRun",
    "Update",
    "add_run",
    "choose",
    "labels",
    "matches",
    "rebuild",
    "record_folders",
]
