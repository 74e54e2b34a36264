"""What every page is made of: templates, assets, data that is safe within HTML, and a rule against requests."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bluke import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["embed", "page"]

#: Characters that end or upset a script within HTML, or a line within JavaScript, and what JSON may hold instead.
#: Within JSON they can only stand in strings, where an escape is the same.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def page(template: str, *, styles: Sequence[str], scripts: Sequence[str], data: object, **words: object) -> str:
    """A whole page.

    Args:
        template: the name of the template among the assets.
        styles: assets of CSS, in order.
        scripts: assets of JavaScript, in order: they are one module.
        data: what the script finds in the element `data`, anything that `msgspec` can write as JSON.
        words: what the template asks for besides.
    """
    style, script = _joined(tuple(styles)), _joined(tuple(scripts))
    # Nothing but these two texts may run or style, and nothing at all may be fetched.
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        _templates()
        .get_template(template)
        .render(style=Markup(style), script=Markup(script), policy=policy, data=embed(data), made=__version__, **words)  # noqa: S704 -- assets
    )


def embed(data: object) -> Markup:
    """Data as JSON that stays inside its element whatever it says."""
    return Markup(msgspec.json.encode(data).decode().translate(ESCAPES))  # noqa: S704 -- that is what the escapes are for


@cache
def _joined(names: tuple[str, ...]) -> str:
    return "".join((files(__package__) / "assets" / name).read_text(encoding="utf-8") for name in names)


@cache
def _digest(text: str) -> str:
    """A text as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("bluke.replay.page", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
