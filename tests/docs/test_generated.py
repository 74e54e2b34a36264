"""What the documentation takes from the code is what the code says today."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc_tools", reason="a build requirement, not a dependency")

ROOT = Path(__file__).parents[2]


def load_generate():
    """`docs/generate.py` as a module."""
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and named tuples look their module up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate = load_generate()


@pytest.mark.parametrize("page", generate.PARTS)
def test_generated_parts(page):
    """No generated part of a page is stale."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert generate.renewed(page, text) == (text, [])


def test_check_stale(tmp_path, monkeypatch, capsys):
    """`--check` names a part that is stale, exits with 1 and writes nothing; without it the part is renewed."""
    before = (ROOT / "docs/protocol.md").read_text(encoding="utf-8").replace("`waiting`", "`napping`")
    page = tmp_path / "protocol.md"
    page.write_text(before, encoding="utf-8")
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    monkeypatch.setattr(generate, "PARTS", {"protocol.md": generate.PARTS["protocol.md"]})
    (tmp_path / "smallest_bot.py").write_bytes((ROOT / "docs/smallest_bot.py").read_bytes())
    assert generate.main(["--check"]) == 1
    assert "'seat states' is stale" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == before
    assert generate.main([]) == 0
    assert page.read_text(encoding="utf-8") == (ROOT / "docs/protocol.md").read_text(encoding="utf-8")


def test_lost_part():
    """A page that has lost the comments around a part is refused instead of silently staying as it is."""
    with pytest.raises(generate.GenerateError, match=r"protocol\.md has the parts"):
        generate.renewed("protocol.md", "# The protocol\n")


def test_example_turn():
    """The turn that the protocol page explains is what the page says of it."""
    turn, move = generate.example()
    tricks = turn.view.tricks
    assert (turn.seat, len(tricks), len(tricks[1].cards)) == (1, 2, 2)
    assert move.card in turn.legal
    assert tricks[1].cards[0] // 13 == 3, "a spade was led"
    assert [card // 13 for card in turn.legal] == [3, 4], "a spade and a Bluke are legal"
    assert set(turn.view.cards) - set(turn.legal) == {5}, "the trump is not"
    assert (turn.last.measured_us - turn.last.excused_us) / 1000 - 2000 == 60_000 - turn.bank_left_ms
