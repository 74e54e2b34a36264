"""Every field of a turn, found by its descriptor: what turns show of them, and turns in which one is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bluke.v1 import play_pb2 as play_pb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from google.protobuf.message import Message

#: The fields on which the answers of `rule` depend, as docs/rule-bot.md names them.
READ = {
    "seat",
    "asked",
    "legal",
    "view.rules.seats",
    "view.size",
    "view.trump",
    "view.turned",
    "view.cards",
    "view.bids",
    "view.tricks.cards",
    "view.tricks.winner",
    "view.tricks_won",
}


def leaves(kind: Any = play_pb.Turn.DESCRIPTOR, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a turn that holds no message, by its path, such as `view.tricks.cards`."""
    for field in kind.fields:
        if field.message_type is None:
            yield before + field.name, field
        else:
            yield from leaves(field.message_type, f"{before}{field.name}.")


def wanted() -> set[str]:
    """What turns have to show between them: each field with a value that is not its default, and more.

    `PATH=NAME` stands for a value of an enum, `no PATH` for the absence of a field that may be absent.
    """
    marks: set[str] = set()
    for path, field in leaves():
        if field.enum_type is not None:
            marks |= {f"{path}={value.name}" for value in field.enum_type.values if value.number}
        else:
            marks.add(path)
        if field.has_presence:
            marks.add(f"no {path}")
    return marks | {"no last", "no view.tricks"}


def shown(message: Message, before: str = "") -> Iterator[str]:
    """What one message shows of that."""
    for field in message.DESCRIPTOR.fields:
        path, value = before + field.name, getattr(message, field.name)
        absent = not value if field.is_repeated else field.has_presence and not message.HasField(field.name)
        if absent:
            yield f"no {path}"
        elif field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                yield from shown(one, f"{path}.")
        elif field.enum_type is not None:
            yield f"{path}={field.enum_type.values_by_number[value].name}"
        elif any(value) if field.is_repeated and not isinstance(value, str) else value:
            yield path


def changed(turn: play_pb.Turn, path: str) -> Iterator[play_pb.Turn]:
    """The turn with another value in one field; where the field is within a list, in each place of it by turns."""
    *way, name = path.split(".")
    for number in range(_holders(turn, way)):
        for edit in EDITS:
            copy = play_pb.Turn()
            copy.CopyFrom(turn)
            if edit(_holder(copy, way, number), name):
                yield copy


def _all_holders(turn: Message, way: Iterable[str]) -> list[Message]:
    found: list[Message] = [turn]
    for step in way:
        found = [
            inner
            for outer in found
            for inner in (
                getattr(outer, step) if outer.DESCRIPTOR.fields_by_name[step].is_repeated else [getattr(outer, step)]
            )
        ]
    return found


def _holders(turn: Message, way: list[str]) -> int:
    return len(_all_holders(turn, way))


def _holder(turn: Message, way: list[str], number: int) -> Message:
    return _all_holders(turn, way)[number]


def _clear(holder: Message, name: str) -> bool:
    """Take away what may be absent, or the last of a list."""
    field = holder.DESCRIPTOR.fields_by_name[name]
    value: Any = getattr(holder, name)
    if field.is_repeated:
        if len(value) < 2:
            return False
        del value[-1]
        return True
    if not field.has_presence or not holder.HasField(name):
        return False
    holder.ClearField(name)
    return True


def _move_on(holder: Message, name: str) -> bool:
    """Set the next value: a number one higher or lower, the other truth, another member; of a list, its first."""
    field = holder.DESCRIPTOR.fields_by_name[name]
    value: Any = getattr(holder, name)
    if field.is_repeated:
        if value:
            value[0] = value[0] + 1
        return bool(value)
    if isinstance(value, str):
        setattr(holder, name, f"{value}x")
    elif isinstance(value, bool):
        setattr(holder, name, not value)
    elif field.enum_type is not None:
        setattr(holder, name, value % (len(field.enum_type.values) - 1) + 1)
    else:
        setattr(holder, name, value + 1)
    return True


EDITS = (_clear, _move_on)
