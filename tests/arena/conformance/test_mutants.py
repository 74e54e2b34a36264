"""A kit that cannot fail is worth nothing: each mutant fails its cases, and none that it has nothing to do with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from arena.conformance.mutants import ALL_FAIL, COMMAND, CONTROL, MUTANTS

from bluke.arena.conformance.case import load_cases
from bluke.arena.conformance.run import Verdict, bot_of, check_bot

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
#: Far less than people wait, since most mutants are waited for in vain.
PATIENCE = 10.0


@pytest.mark.parametrize("mutation", MUTANTS)
async def test_mutant_fails(mutation: str, tmp_path: Path):
    """The mutant fails each case that is there to find it, and passes one that is not."""
    wanted = {*MUTANTS[mutation], CONTROL}
    cases = [case for case in load_cases() if case.name in wanted]
    results = await check_bot(bot_of([*COMMAND, mutation]), cases, tmp_path, lambda _: None, patience=PATIENCE)
    passed = {result.case.name for result in results if result.verdict is Verdict.PASS}
    failed = {result.case.name for result in results if result.verdict is Verdict.FAIL}
    assert failed == {*MUTANTS[mutation]} | ({CONTROL} if mutation in ALL_FAIL else set()), results
    assert passed | failed == wanted, results
    assert all(result.expected and result.arrived and result.step for result in results if result.case.name in failed)


async def test_bot_without_a_mutation_passes_everything(tmp_path: Path):
    """What the mutants are made from keeps to the protocol in every case."""
    results = await check_bot(bot_of([*COMMAND, "none"]), load_cases(), tmp_path, lambda _: None)
    assert [result for result in results if result.verdict is not Verdict.PASS] == []
