"""The compiled set kernels against brute force, over rows of 0 to 64 numbers in 1..15."""

from itertools import product

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from solver import scout
from solver._core import beats, legal_sets, picked_sets, placing_beats
from tests.reference import kernels

NUMBERS = st.integers(1, 15)


@st.composite
def a_set(draw, longest: int = 64) -> list[int]:
    """A group of up to `longest` cards, or a run of up to 15, rising or falling."""
    if draw(st.booleans()):
        return [draw(NUMBERS)] * draw(st.one_of(st.integers(1, min(6, longest)), st.integers(1, longest)))
    length = draw(st.integers(1, min(15, longest)))
    low = draw(st.integers(1, 16 - length))
    run = list(range(low, low + length))
    return run if draw(st.booleans()) else run[::-1]


@st.composite
def rows(draw, longest: int = 64) -> list[int]:
    """A row in which long groups and runs are frequent, ragged numbers too, and the full lengths."""
    pieces = draw(st.lists(st.one_of(a_set(20), st.lists(NUMBERS, min_size=1, max_size=5)), max_size=12))
    row = [number for piece in pieces for number in piece]
    if draw(st.integers(0, 3)) == 0:
        # up to the brim: repeat what there is, so that long sets reach the last places
        row = (row or [draw(NUMBERS)]) * 64
        return row[: longest - draw(st.integers(0, 1))]
    return row[:longest]


@st.composite
def row_and_active(draw, longest: int = 64) -> tuple[list[int], list[int]]:
    """A row and an Active Set: none, any set, or one that is nearly as strong as a set of the row."""
    row = draw(rows(longest))
    kind = draw(st.sampled_from(["near", "near", "any", "none"]))
    if kind == "none":
        return row, []
    if kind == "any" or not row:
        return row, draw(a_set())
    start, length = draw(st.sampled_from(kernels.legal_sets(row, [])))
    numbers = row[start : start + length]
    change = draw(st.sampled_from(["same", "up", "down", "longer", "shorter", "other kind"]))
    if change == "up":
        numbers = [number + 1 for number in numbers]
    elif change == "down":
        numbers = [number - 1 for number in numbers]
    elif change == "longer":
        numbers = [*numbers, numbers[-1] + (numbers[-1] - numbers[-2] if length > 1 else 0)]
    elif change == "shorter":
        numbers = numbers[:-1]
    elif change == "other kind":
        low = min(numbers)
        numbers = list(range(low, low + length)) if len(set(numbers)) == 1 else [low] * length
    if not numbers or len(numbers) > 64 or not all(1 <= number <= 15 for number in numbers):
        numbers = row[start : start + length]
    return row, numbers


@settings(max_examples=1500)
@given(row_and_active())
@example(([], []))
@example(([], [3]))
@example(([7] * 64, [7] * 63))
@example(([7] * 64, [7] * 64))
@example(([7] * 64, [6] * 64))
@example(([7] * 63, [7] * 64))
@example((list(range(15, 0, -1)), list(range(1, 15))))
@example(([15, 1, 15, 1], [15]))
def test_legal_sets_equal_brute_force(case):
    """All sets that beat the Active Set, each once, ascending by start, then by length."""
    row, active = case
    expected = kernels.legal_sets(row, active)
    event(f"{min(len(expected), 3)}+ sets" if expected else "no set")
    assert legal_sets(row, active) == expected
    assert expected == sorted(set(expected))
    if not active:
        assert legal_sets(row) == legal_sets(row, None) == expected


@settings(max_examples=1500)
@given(row_and_active(longest=63), NUMBERS)
@example(([], []), 1)
@example(([], [1]), 1)
@example(([], [1]), 2)
@example(([7] * 63, [7] * 63), 7)
@example(([7] * 63, [7] * 64), 7)
@example(([7] * 63, [6] * 64), 7)
@example(([7] * 62, [6] * 64), 7)
@example(([7] * 63, [7] * 62), 8)
@example(([1, 2, 3, 5, 6, 7], [1, 2, 3, 4, 5, 6]), 4)
@example(([7, 6, 5, 3, 2, 1], [7, 6, 5, 4, 3, 2]), 4)
@example(([15, 1] * 31, [15, 15]), 15)
def test_placing_beats_equals_brute_force(case, number):
    """The places are those after which brute force finds a set that beats the Active Set."""
    row, active = case
    expected = kernels.placing_beats(row, number, active)
    event("all places" if len(expected) == len(row) + 1 else "some places" if expected else "no place")
    assert placing_beats(row, number, active) == expected


@settings(max_examples=400)
@given(st.integers(60, 63), st.lists(NUMBERS, min_size=63, max_size=63), st.data())
def test_placing_beats_in_long_ragged_rows(length, numbers, data):
    """Rows of 60 to 63 cards, where the winning set must use the new card near either border."""
    row = numbers[:length]
    number = data.draw(NUMBERS)
    active = data.draw(a_set(4))
    assert placing_beats(row, number, active) == kernels.placing_beats(row, number, active)


@st.composite
def gapped(draw) -> tuple[list[int], int, list[int]]:
    """A set without one of its cards, low cards around it, that card, and a set about as strong."""
    whole = draw(a_set(12))
    place = draw(st.integers(0, len(whole) - 1))
    noise = st.lists(st.sampled_from([1, 3]), max_size=25)
    row = draw(noise) + whole[:place] + whole[place + 1 :] + draw(noise)
    lower = [number - 1 for number in whole]
    weaker = [whole, whole[1:], whole[:-1], [min(whole)] * len(whole), [1] * len(whole), lower, lower[::-1]]
    active = draw(st.sampled_from([option for option in weaker if not option or min(option) >= 1]))
    return row, draw(st.one_of(st.just(whole[place]), NUMBERS)), active


@settings(max_examples=1500)
@given(gapped())
def test_placing_beats_where_the_card_fills_a_gap(case):
    """The new card stands first, last or within the only set that beats the Active Set, or breaks one."""
    row, number, active = case
    expected = kernels.placing_beats(row, number, active)
    event("all places" if len(expected) == len(row) + 1 else "some places" if expected else "no place")
    assert placing_beats(row, number, active) == expected


@settings(max_examples=500)
@given(row_and_active())
def test_the_twins_agree(case):
    """The brute forces themselves: some set beats the Active Set exactly if the list of them is not empty."""
    row, active = case
    assert kernels.has_beating(row, active) == bool(kernels.legal_sets(row, active))


@settings(max_examples=1000)
@given(a_set(), st.one_of(a_set(), st.just([])))
def test_beats_equals_twin(a, b):
    """One set against another, of any kinds and lengths, or against the empty table."""
    assert beats(a, b) == kernels.beats(a, b)


@settings(max_examples=500)
@given(a_set(8), a_set(8), a_set(8))
def test_beats_is_a_strict_order(a, b, c):
    """Nothing beats itself or its mirror image, no two sets beat each other, and beating is transitive."""
    assert not beats(a, a)
    assert not beats(a, a[::-1])
    assert not (beats(a, b) and beats(b, a))
    if beats(a, b) and beats(b, c):
        assert beats(a, c)


def test_every_small_row():
    """All 4-card rows of 1..5, and all cards put into all 3-card rows, against all sets of up to three of 1..5."""
    values = range(1, 6)
    actives = [[], *([a] * n for a in values for n in (1, 2, 3))]
    actives += [[a, a + 1] for a in range(1, 5)] + [[a + 2, a + 1, a] for a in range(1, 4)]
    for row in map(list, product(values, repeat=4)):
        for active in actives:
            assert legal_sets(row, active) == kernels.legal_sets(row, active), (row, active)
            *rest, number = row
            assert placing_beats(rest, number, active) == kernels.placing_beats(rest, number, active), (row, active)


def test_mirror_image_has_the_mirrored_sets():
    """A row and its reverse hold the same sets at mirrored places."""
    row = [3, 4, 5, 5, 5, 4, 9, 10, 2, 1, 1]
    for active in ([], [5], [5, 5], [4, 5], [3, 4, 5]):
        mirrored = {(len(row) - start - length, length) for start, length in legal_sets(row[::-1], active)}
        assert mirrored == set(legal_sets(row, active))


def test_public_names_are_the_kernels():
    """`solver.scout` gives the same functions, and numpy integers will do as numbers."""
    assert scout.legal_sets is legal_sets
    assert scout.beats is beats
    assert legal_sets(np.array([3, 4, 4], dtype=np.int8), np.array([4])) == [(0, 2), (1, 2)]
    assert legal_sets(iter([1, 1])) == [(0, 1), (0, 2), (1, 1)]


@pytest.mark.parametrize("number", [0, 16, -1, 2**40, True, 3.0, "3", None, (3, 4)])
def test_numbers_out_of_range_are_errors(number):
    """A wrong number is named with its place, in every argument of every function."""
    for call in (
        lambda: legal_sets([1, number]),
        lambda: legal_sets([1], [1, number]),
        lambda: beats([1, number], [1]),
        lambda: beats([1], [1, number]),
        lambda: placing_beats([1, number], 3, []),
        lambda: placing_beats([1], 3, [1, number]),
    ):
        with pytest.raises(ValueError, match=r"place 1: a number in 1\.\.15 is needed"):
            call()


@pytest.mark.parametrize("number", [0, 16, -1, 2**40])
def test_placed_number_out_of_range_is_an_error(number):
    """The card to be placed bears a number in 1..15."""
    with pytest.raises(ValueError, match=r"a number in 1\.\.15"):
        placing_beats([1, 2], number, [])


@pytest.mark.parametrize("number", [3.5, "3", None])
def test_placed_number_must_be_an_int(number):
    """No silent rounding of the card to be placed."""
    with pytest.raises((TypeError, ValueError)):
        placing_beats([1, 2], number, [])


def test_rows_that_are_too_long_are_errors():
    """64 cards are the most, and 63 where another comes in."""
    assert len(legal_sets([1, 3] * 32)) == 64
    for call in (
        lambda: legal_sets([1] * 65),
        lambda: legal_sets([1], [1] * 65),
        lambda: beats([1] * 65, []),
        lambda: placing_beats([1] * 65, 1, []),
        lambda: placing_beats([1] * 64, 1, []),
    ):
        with pytest.raises(ValueError, match=r"at most 6[34] cards"):
            call()


@pytest.mark.parametrize("bad", [[1, 3], [1, 2, 1], [1, 1, 2], [1, 2, 2], [2, 2, 1], [15, 1], [1, 2, 3, 5], [2, 1, 2]])
def test_an_active_set_that_is_no_set_is_an_error(bad):
    """Rows that are neither group nor run are refused wherever a set is due."""
    for call in (
        lambda: legal_sets([1], bad),
        lambda: beats(bad, [1]),
        lambda: beats([1], bad),
        lambda: placing_beats([1], 1, bad),
    ):
        with pytest.raises(ValueError, match="is no set"):
            call()


def test_an_empty_set_beats_nothing():
    """The first argument of `beats` needs a card; the second may be empty."""
    with pytest.raises(ValueError, match="empty"):
        beats([], [1])
    assert beats([1], [])


@settings(max_examples=600)
@given(rows(), st.one_of(st.just([]), a_set()))
@example([4] * 16, [])
@example([4] * 17, [3, 3])
@example([4] * 64, [9])
@example([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14], [])
def test_random_play_counts_and_picks_every_set_once(tops, active):
    """The counted sets, each picked by one number, are the legal ones."""
    picked = picked_sets(tops, active)
    assert sorted(picked) == legal_sets(tops, active)


@settings(max_examples=1000)
@given(row_and_active(longest=17))
@example(([7] * 16, [7] * 12))
@example(([7] * 17, [7] * 13))
@example(([3] * 5, [2]))
@example(([3] * 6, [2, 2]))
def test_random_play_picks_against_a_rival_nearly_as_strong(case):
    """The same for hands of up to 17 cards (16 fit one word) and an Active Set that few sets beat."""
    row, active = case
    assert sorted(picked_sets(row, active)) == kernels.legal_sets(row, active)
