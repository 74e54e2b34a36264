"""Writes the generated parts of the documentation: `python docs/generate.py`.

A part stands between two comments, `<!-- generated: NAME -->` and `<!-- end: NAME -->`, and follows
from the code or from `proto/`. With `--check` nothing is written: the parts that are stale are
named, and the exit code says whether there are any.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)

from bluke.arena.conformance.case import load_cases
from bluke.referee.bot import TURNS_A_MESSAGE
from bluke.referee.settings import Settings
from bluke.rules import CARDS, Asked, Card, Game, Rules, SeededPacks
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits
from bluke.wire.session import SEAT, STREAM
from bluke.wire.turns import Last, TurnWriter
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bluke.wire.session import Speaker

Declared: TypeAlias = DescriptorProto | EnumDescriptorProto | ServiceDescriptorProto

DOCS = Path(__file__).resolve().parent
PROTO_ROOT = DOCS.parent / "proto"
PART = re.compile(r"<!-- generated: (?P<name>[^>]+?) -->\n(?P<text>.*?)<!-- end: (?P=name) -->", re.DOTALL)
#: The order of the reference: what a bot's author reads first.
PROTOS = ("play.proto", "game.proto", "arena.proto")


class GenerateError(Exception):
    """The parts cannot be made; the text says why and what to do."""


# Tables


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def code(*words: str) -> str:
    """Words as code, with commas between."""
    return ", ".join(f"`{word}`" for word in words)


def number(value: object) -> str:
    """A number with its thousands set apart; anything else as it is."""
    return f"{value:,}" if isinstance(value, int | float) else str(value)


# The session machine


def state_table(machine: Mapping[Any, Mapping[tuple[Speaker, str], Any]]) -> str:
    """A machine's transitions; those that lead to the same state share a row."""
    rows: list[tuple[str, str, str, str]] = []
    for state, transitions in machine.items():
        if not transitions:
            rows.append((code(state.value), "nobody", "nothing", "the end"))
        grouped: dict[tuple[Speaker, Any], list[str]] = {}
        for (speaker, payload), after in transitions.items():
            grouped.setdefault((speaker, after), []).append(payload)
        rows += [
            (code(state.value), f"the {speaker.value}", code(*payloads), code(after.value))
            for (speaker, after), payloads in grouped.items()
        ]
    return table(("state", "who speaks", "payload", "next state"), rows)


# The protos


class Proto(NamedTuple):
    """One file and its comments, which are found by the path of what they stand at."""

    file: FileDescriptorProto
    comments: Mapping[tuple[int, ...], str]
    lines: Mapping[tuple[int, ...], int]


@cache
def protos() -> Mapping[str, Proto]:
    """The protocol's files by name, as protoc sees them.

    Raises:
        GenerateError: grpcio-tools is missing, or protoc refuses.
    """
    folder = PROTO_ROOT / "bluke/v1"
    with tempfile.TemporaryDirectory(prefix="bluke-docs-") as scratch:
        made = Path(scratch) / "protos"
        command = [
            *(sys.executable, "-P", "-m", "grpc_tools.protoc"),
            *(f"--proto_path={PROTO_ROOT}", f"--descriptor_set_out={made}", "--include_source_info"),
            *(path.relative_to(PROTO_ROOT).as_posix() for path in sorted(folder.glob("*.proto"))),
        ]
        protoc = subprocess.run(command, capture_output=True, text=True, check=False)
        if protoc.returncode:
            hint = "; `pip install -e '.[dev]'` brings grpcio-tools" if "No module named" in protoc.stderr else ""
            raise GenerateError(f"protoc cannot read the protos: {protoc.stderr.strip()}{hint}")
        files = FileDescriptorSet.FromString(made.read_bytes()).file
    return {
        Path(file.name).name: Proto(
            file,
            {tuple(place.path): comment(place.leading_comments) for place in file.source_code_info.location},
            {tuple(place.path): place.span[0] for place in file.source_code_info.location},
        )
        for file in files
    }


def comment(text: str) -> str:
    """A comment without the space that follows its slashes."""
    return "\n".join(line.removeprefix(" ") for line in text.rstrip().splitlines())


def cell(text: str) -> str:
    """A comment as one line of a table."""
    return " ".join(text.split()).replace("|", "\\|")


class Fields(NamedTuple):
    """The comments of one message's fields."""

    proto: Proto
    path: tuple[int, ...]
    message: DescriptorProto

    def __iter__(self) -> Iterator[tuple[FieldDescriptorProto, str]]:  # type: ignore[override]
        """Each field and its comment."""
        for at, field in enumerate(self.message.field):
            yield field, cell(self.proto.comments[(*self.path, 2, at)])


def fields_of(file: str, name: str) -> Fields:
    """The fields of one message."""
    proto = protos()[file]
    at = [message.name for message in proto.file.message_type].index(name)
    return Fields(proto, (4, at), proto.file.message_type[at])


def reference() -> str:
    """Everything in the protos, file by file, in the order in which it stands there."""
    return "\n".join(block for name in PROTOS for block in file_blocks(protos()[name]))


def file_blocks(proto: Proto) -> Iterator[str]:
    """One file."""
    name = Path(proto.file.name).name
    yield f"## {name}\n"
    yield f"{proto.comments[2,]}\n"
    kinds: Mapping[int, Sequence[Declared]] = {
        4: proto.file.message_type,
        5: proto.file.enum_type,
        6: proto.file.service,
    }
    places = [((kind, at), one) for kind, ones in kinds.items() for at, one in enumerate(ones)]
    for path, one in sorted(places, key=lambda place: proto.lines[place[0]]):
        yield f"### {one.name}\n"
        yield f"{proto.comments[path]}\n"
        match one:
            case DescriptorProto() if one.field:
                yield message_table(Fields(proto, path, one))
            case EnumDescriptorProto():
                rows = [
                    (code(value.name), value.number, cell(proto.comments[(*path, 2, at)]))
                    for at, value in enumerate(one.value)
                ]
                yield table(("value", "number", "meaning"), rows)
            case ServiceDescriptorProto():
                yield service_table(proto, path, one)


def message_table(fields: Fields) -> str:
    """The fields of a message; those of a oneof name it."""
    rows = []
    for field, text in fields:
        choice = ""
        if field.HasField("oneof_index") and not field.proto3_optional:
            choice = f"One of `{fields.message.oneof_decl[field.oneof_index].name}`: "
        rows.append((code(field.name), field.number, type_of(field), choice + text))
    return table(("field", "number", "type", "meaning"), rows)


def service_table(proto: Proto, path: tuple[int, ...], service: ServiceDescriptorProto) -> str:
    """The methods of a service."""
    rows = []
    for at, method in enumerate(service.method):
        takes = ("stream of " if method.client_streaming else "") + link(method.input_type)
        gives = ("stream of " if method.server_streaming else "") + link(method.output_type)
        rows.append((code(method.name), takes, gives, cell(proto.comments[(*path, 2, at)])))
    return table(("method", "takes", "gives", "meaning"), rows)


def type_of(field: FieldDescriptorProto) -> str:
    """A field's type, with a link where it has a section of its own."""
    if field.type_name:
        kind = link(field.type_name)
    else:
        kind = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {kind}"
    return f"optional {kind}" if field.proto3_optional else kind


def link(type_name: str) -> str:
    """A link to the section of a type."""
    name = type_name.rpartition(".")[2]
    return f"[{name}](#{name.lower()})"


# Limits


def stream_limits() -> str:
    """What the welcome names, with the defaults of the code."""
    defaults = StreamLimits()
    rows = [
        (code(field.name), number(getattr(defaults, field.name)), text)
        for field, text in fields_of("play.proto", "StreamLimits")
    ]
    return table(("field of `StreamLimits`", "default", "meaning"), rows)


def game_limits() -> str:
    """What a game's beginning names, with the defaults of the code."""
    defaults = GameLimits()
    rows = []
    for field, text in fields_of("play.proto", "GameLimits"):
        value = getattr(defaults, field.name)
        shown = code(value.value) if field.name == "policy" else number(value)
        rows.append((code(field.name), shown, text))
    return table(("field of `GameLimits`", "default", "meaning"), rows)


def other_limits() -> str:
    """What no message names."""
    settings = Settings(address="", replays=Path())
    rows = [
        ("silence before the hello", f"{settings.hello_seconds:g} s", "the stream ends with `DEADLINE_EXCEEDED`"),
        (
            "grace time of a bot without games",
            f"{settings.grace_seconds:g} s",
            "the resume key is forgotten; with games, the longest `grace_ms` among them counts instead",
        ),
        (
            "silence before the referee pings",
            f"{settings.keepalive_ms / 1000:g} s",
            f"without an answer within {settings.ping_timeout_ms / 1000:g} s the connection is closed",
        ),
        ("turns in one message", TURNS_A_MESSAGE, "more leave in the next message"),
    ]
    return table(("limit", "default", "what happens"), rows)


# The worked example


#: Picked for what it shows: a suit to follow, a Bluke that need not, and no number that is zero and so not printed.
EXAMPLE_SEED = sha256(b"the example of the documentation 368").digest()


def example(seed: bytes = EXAMPLE_SEED) -> tuple[play_pb.Turn, play_pb.Move]:
    """A turn in the middle of a game, and a move that answers it."""
    rules = Rules(seats=3, hands=(4, 3, 2))
    game = Game(rules, SeededPacks(seed))
    writer = TurnWriter("5f0c2a917be3d846", game)
    last: dict[int, Last] = {}
    decision = 0
    while True:
        decision += 1
        turn = writer.write(decision, last.get(game.seat))
        # Last to play in the second trick.
        if game.asked is Asked.PLAY and len(turn.view.tricks) == 2 and len(turn.view.tricks[1].cards) == 2:
            break
        value = 1 + decision % 2 if game.asked is Asked.BID else game.fixed_answer()
        applied = value.index if isinstance(value, Card) else value
        # 2 s were its own and 600 ms came from the bank.
        last[game.seat] = Last(decision, 2_603_120, 3_120, applied, by_referee=False, excused=False)
        game.answer(game.seat, value)
    turn.decision_left_ms, turn.bank_left_ms = 2_000, 59_400
    return turn, play_pb.Move(game_id=turn.game_id, decision_id=decision, card=turn.legal[0], note="the lowest will do")


def as_text(message: Any) -> str:  # noqa: ANN401 - any message
    """A message in protobuf's text format."""
    text = text_format.MessageToString(message, use_short_repeated_primitives=True)
    return f"```text\n{text}```\n"


def example_turn() -> str:
    """The turn, and the cards in it by name."""
    turn, _ = example()
    view = turn.view
    seen = sorted({*view.cards, view.turned, *(card for trick in view.tricks for card in trick.cards)})
    names = ", ".join(f"{card} is `{CARDS[card]}`" for card in seen)
    return f"{as_text(turn)}\nThe cards in it: {names}.\n"


def example_move() -> str:
    """The move."""
    return as_text(play_pb.PlayRequest(moves=play_pb.Moves(moves=[example()[1]])))


def program(language: str, path: str) -> str:
    """A program that lies beside this script, as code."""
    return f"```{language}\n{(DOCS / path).read_text(encoding='utf-8')}```\n"


def conformance_cases() -> str:
    """The cases of `bluke check`, each with a link to the section that asks for it."""
    return table(
        ("case", "what is done", "asked for in"),
        [
            (code(case.name), cell(case.about), f"[{case.section}](protocol.md#{anchor(case.section)})")
            for case in load_cases()
        ],
    )


def anchor(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "protocol.md": {
        "an example turn": example_turn,
        "an example move": example_move,
        "game limits": game_limits,
        "stream limits": stream_limits,
        "other limits": other_limits,
        "stream states": lambda: state_table(STREAM),
        "seat states": lambda: state_table(SEAT),
        "smallest bot": lambda: program("python", "smallest_bot.py"),
    },
    "any-language.md": {"a bot in Ruby": lambda: program("ruby", "any_language/bot.rb")},
    "protocol-reference.md": {"reference": reference},
    "check.md": {"cases": conformance_cases},
}


def renewed(name: str, text: str) -> tuple[str, list[str]]:
    """A page with its parts up to date, and the names of those that were stale.

    Raises:
        GenerateError: the page lacks a part, or has one that nothing makes.
    """
    makers = PARTS[name]
    found = [part["name"] for part in PART.finditer(text)]
    if sorted(found) != sorted(makers):
        raise GenerateError(f"docs/{name} has the parts {found}, and generate.py makes {list(makers)}")
    stale = []

    def renew(part: re.Match[str]) -> str:
        fresh = makers[part["name"]]()
        if fresh.strip() != part["text"].strip():
            stale.append(part["name"])
        return f"<!-- generated: {part['name']} -->\n\n{fresh.strip()}\n\n<!-- end: {part['name']} -->"

    return PART.sub(renew, text), stale


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the parts, or with `--check` name those that are stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a part is stale")
    check = parser.parse_args(arguments).check
    problems = 0
    for name in PARTS:
        page = DOCS / name
        try:
            before = page.read_text(encoding="utf-8")
            after, stale = renewed(name, before)
        except (GenerateError, OSError) as error:
            print(f"docs/generate.py: {error}", file=sys.stderr)
            return 1
        for part in stale:
            print(f"docs/{name}: {part!r} " + ("is stale: run `python docs/generate.py`" if check else "is renewed"))
        problems += len(stale)
        if after != before and not check:
            page.write_text(after, encoding="utf-8")
    return 1 if check and problems else 0


if __name__ == "__main__":
    sys.exit(main())
