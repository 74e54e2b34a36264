from __future__ import annotations

import ast
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bluke.arena.config import read_config
from bluke.arena.starter import write
from bluke.arena.starter.languages import LANGUAGES
from bluke.arena.starter.write import OPPONENTS, bot_name, write_starter
from bluke.errors import ArenaError, ConfigError

EVERY = pytest.mark.parametrize("language", LANGUAGES)
#: Names that would end a string, start an escape or a substitution, turn the writing, or be no text at all.
HOSTILE = [
    '"', "\\", '\\"', "\\u0022", "\\\\u0022", "${x}", "{0}", "%s", "`id`", "$(id)", "'", "??/", "*/", "@name@", "#", "",
    " ", ".", "..", "a\nb", "\x1b[31mred", "a\u202eb", "a\u2028b", "\udcff", "-x", "1st", "Ünï côdé", "🂡", "e\u0301",
    "x" * 300, "ü" * 100, "rule", "my rule", "random",
]  # fmt: skip
NAMES = st.text() | st.text("\\\"'u0@name{}$`\n") | st.sampled_from(HOSTILE)


def literal(text: str) -> str:
    """The one string literal in a bot's source that is its name, as it stands there."""
    found = re.findall(r'(?:name = |Name: |name: |run\(|name\()("(?:[^"\\]|\\.)*")', text)
    assert len(found) == 1
    return str(found[0])


@EVERY
def test_the_files_of_a_starter(tmp_path: Path, language: str):
    """What is told of a starter is there: the source, the README's table, and every file that it links to."""
    files = write_starter(language, tmp_path / "mine")
    assert sorted(path for path in (tmp_path / "mine").rglob("*") if path.is_file()) == [
        tmp_path / "mine" / file for file in files
    ]
    readme = (tmp_path / "mine/README.md").read_text()
    chosen = LANGUAGES[language]
    named = {chosen.source, chosen.manual, "arena.toml", *(file for file, _ in chosen.others)}
    named |= set(re.findall(r"\]\((.+?)\)", readme))
    assert all((tmp_path / "mine" / name).exists() for name in named)
    assert all(f"`{name}`" in readme for name in (chosen.source, chosen.manual, *(file for file, _ in chosen.others)))
    # Nothing is left of the templates' tokens, but where the source of something else has such a word.
    own = [file for file in files if file.parts[0] != "bluke-arena"]
    assert not [file for file in own if re.search("@(name|[a-z]+)@(?!types)", (tmp_path / "mine" / file).read_text())]


@EVERY
def test_the_readme_has_the_commands(tmp_path: Path, language: str):
    """Its first console block is the way from nothing to a game, in the order in which it goes."""
    write_starter(language, tmp_path)
    block = re.findall(r"```console\n(.*?)```", (tmp_path / "README.md").read_text(), re.DOTALL)[0]
    assert block == "".join(f"$ {step}\n" for step in LANGUAGES[language].steps)
    assert block.endswith("$ bluke arena\n")


@EVERY
def test_who_plays(tmp_path: Path, language: str):
    """The arena.toml seats the bot, under the name of its folder, and opponents that came along."""
    folder = tmp_path / "first bot"
    write_starter(language, folder)
    roster = tomllib.loads((folder / "arena.toml").read_text())["bots"]
    assert roster[0] == {"name": "first bot", "command": LANGUAGES[language].command}
    assert {bot["name"] for bot in roster[1:]} == {"rule", "one", "random"}
    for bot in roster[1:]:
        assert bot["command"] == f"python -m bots.{bot['name']}"
        assert (folder / bot["folder"] / "bots" / f"{bot['name']}.py").is_file()


def test_arena_toml_plays_at_once(tmp_path: Path):
    """Where nothing has to be built the arena takes the file as it is, with `mc` too if its lines are asked for."""
    write_starter("python", tmp_path / "mine")
    assert [bot.name for bot in read_config(tmp_path / "mine/arena.toml").bots] == ["mine", "rule", "one", "random"]
    text = (tmp_path / "mine/arena.toml").read_text()
    everybody = text.replace("# [[bots]]", "[[bots]]").replace("# name", "name").replace("# command", "command")
    (tmp_path / "mine/arena.toml").write_text(everybody.replace("# folder", "folder"))
    assert {bot.name for bot in read_config(tmp_path / "mine/arena.toml").bots} == {"mine", *OPPONENTS}


@given(NAMES)
@example("random")
@example("\\u0022")
def test_any_name(folder: str):
    """A name is 1 to 64 bytes of text that prints as itself, no opponent's, and naming again changes nothing."""
    name = bot_name(folder)
    assert 1 <= len(name.encode()) <= 64
    assert name.isprintable()
    assert name == name.strip()
    assert name not in OPPONENTS
    assert bot_name(name) == name


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("cautious", "cautious"),
        ("2nd bot", "2nd bot"),
        ("Ünï", "Ünï"),
        ("a\x1b[2Jb", "a [2Jb"),
        ("a \t b", "a b"),
        ("", "bot"),
        ("\u202e", "bot"),
        ("rule", "my rule"),
        ("x" * 65, "x" * 64),
        ("ü" * 33, "ü" * 32),
        ("e\u0301", "é"),
    ],
)
def test_names(folder: str, name: str):
    """A bot is called as its folder is, as far as that can be printed and told from its opponents."""
    assert bot_name(folder) == name


@given(NAMES)
def test_a_name_in_every_language(folder: str):
    """Between quotes a name is the same text in each source, in arena.toml and in JSON, whatever it is made of."""
    name = bot_name(folder)
    for language in LANGUAGES:
        words = write._words(LANGUAGES[language], name)
        templates = write.TEMPLATES
        source = write._filled((templates / language / LANGUAGES[language].source).read_text(), words)
        quoted = literal(source)
        assert json.loads(quoted) == ast.literal_eval(quoted) == name
        roster = tomllib.loads(write._filled((templates / "common/arena.toml").read_text(), words))
        assert roster["bots"][0]["name"] == name


@pytest.mark.parametrize("folder", ["a b", "-x", "ü", '"; rm -rf ~', "1", "@command@", "$HOME"])
def test_any_folder(tmp_path: Path, folder: str):
    """A folder may be called anything that the system takes, and its parents are made."""
    files = write_starter("python", tmp_path / "deep/er" / folder)
    assert (tmp_path / "deep/er" / folder / "bot.py").is_file()
    assert read_config(tmp_path / "deep/er" / folder / "arena.toml").bots[0].name == folder
    assert Path("bot.py") in files


def test_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`.` is a folder too, and its name the one that it really has."""
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    write_starter("python", Path())
    assert read_config(tmp_path / "mine/arena.toml").bots[0].name == "mine"


def test_a_folder_that_is_not_empty(tmp_path: Path):
    """Nothing is ever written over, nor beside what somebody has."""
    (tmp_path / ".hidden").touch()
    with pytest.raises(ConfigError, match="is not empty; name a folder"):
        write_starter("python", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".hidden"]


def test_a_file_for_a_folder(tmp_path: Path):
    """A file is no folder."""
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(ConfigError, match="is a file; name a folder"):
        write_starter("python", tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_folder_that_is_empty(tmp_path: Path):
    """An empty folder is as good as none."""
    assert write_starter("go", tmp_path)


def test_what_pip_compiled_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What an installation adds to the templates is not copied."""
    shutil.copytree(write.TEMPLATES, tmp_path / "files")
    (tmp_path / "files/python/__pycache__").mkdir(exist_ok=True)
    (tmp_path / "files/python/__pycache__/bot.cpython-311.pyc").write_bytes(b"\xff")
    before = write_starter("python", tmp_path / "before")
    monkeypatch.setattr(write, "TEMPLATES", tmp_path / "files")
    assert write_starter("python", tmp_path / "after") == before


def test_an_installation_that_lacks_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without what is to be carried nothing is written, and what is missing is said with what to do."""
    for name in ("CHECKOUT", "SHIPPED"):
        monkeypatch.setattr(write, name, tmp_path / "nowhere")
    with pytest.raises(ArenaError, match=r"nowhere/LICENSE: there is no such file; install bluke-arena again"):
        write_starter("rust", tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
