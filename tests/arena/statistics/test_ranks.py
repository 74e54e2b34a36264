from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.statistics.ranks import places, surely_apart

P_VALUES = {(0, 1): 0.012, (0, 2): 0.02, (1, 2): 0.6, (0, 3): 0.03, (1, 3): 0.001}


def test_the_steps_of_holm():
    """The smallest p-value is tried at 5% / 5, the next at 5% / 4, and so on; the first that fails ends it."""
    # 0.001 <= 0.01, 0.012 <= 0.0125, and 0.02 > 0.01667
    assert surely_apart(P_VALUES) == {(1, 3), (0, 1)}
    assert surely_apart(P_VALUES, 0.1) == {(1, 3), (0, 1), (0, 2), (0, 3)}
    assert surely_apart({}) == set()


def test_places():
    """A bot may have any place below those that are surely better and above those that are surely worse."""
    assert places([0, 1, 2, 3], [(0, 2), (0, 3), (1, 3)]) == {0: (1, 2), 1: (1, 3), 2: (2, 4), 3: (3, 4)}
    assert places([0, 1], []) == {0: (1, 2), 1: (1, 2)}


@given(st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), st.floats(0, 1)), st.floats(0, 1))
def test_fewer_at_once(p_values: dict, error: float):
    """What is found among many pairs is found among fewer of them, and never a pair at more than the error itself."""
    apart = surely_apart(p_values, error)
    assert all(p_values[pair] <= error for pair in apart)
    for left_out in p_values:
        rest = {pair: p_value for pair, p_value in p_values.items() if pair != left_out}
        assert apart - {left_out} <= surely_apart(rest, error)
