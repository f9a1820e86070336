"""The compiled random stream against its readable twin, the papers' vectors and the golden file."""

import copy
import csv
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver._core import Rng
from solver.errors import ArgumentError
from tests.golden import make_rng
from tests.reference.kernels import Xoshiro

SEEDS = st.one_of(st.integers(0, 2**130), st.lists(st.integers(0, 2**40), min_size=1, max_size=5))
# (state after which) the authors' C program gives these first outputs
FIRST_STATE = (1, 2, 3, 4)
FIRST_OUTPUTS = (
    11520,
    0,
    1509978240,
    1215971899390074240,
    1216172134540287360,
    607988272756665600,
    16172922978634559625,
    8476171486693032832,
    10595114339597558777,
    2904607092377533576,
)


def with_state(words) -> Rng:
    """A compiled stream that stands at this state."""
    restore, (sequence, _) = Rng(0).__reduce__()
    return restore(sequence, tuple(words))


def test_published_vector_holds_for_twin_and_compiled_stream():
    """Both give the first outputs of the authors' C program from the state 1, 2, 3, 4."""
    twin, rng = Xoshiro(FIRST_STATE), with_state(FIRST_STATE)
    assert tuple(twin.next_u64() for _ in FIRST_OUTPUTS) == FIRST_OUTPUTS
    assert tuple(rng.next_u64() for _ in FIRST_OUTPUTS) == FIRST_OUTPUTS


@given(SEEDS)
def test_stream_equals_twin(seed):
    """The seed becomes the state through SeedSequence, and 200 draws and the state after them agree."""
    rng, twin = Rng(seed), Xoshiro.seeded(seed)
    assert rng.state == tuple(np.random.SeedSequence(seed).generate_state(4, np.uint64).tolist())
    assert [rng.next_u64() for _ in range(200)] == [twin.next_u64() for _ in range(200)]
    assert rng.state == tuple(twin.words)


def test_long_stream_equals_twin():
    """100,000 draws agree."""
    rng, twin = Rng(2026), Xoshiro.seeded(2026)
    for _ in range(100_000):
        assert rng.next_u64() == twin.next_u64()


@given(SEEDS, st.lists(st.one_of(st.integers(1, 70), st.integers(1, 2**64 - 1)), min_size=1, max_size=60))
def test_bounded_draws_equal_twin(seed, bounds):
    """Draws below small and huge bounds agree, rejected words included (the states agree after each)."""
    rng, twin = Rng(seed), Xoshiro.seeded(seed)
    for n in bounds:
        value = rng.below(n)
        assert value == twin.below(n)
        assert 0 <= value < n
        assert rng.state == tuple(twin.words)


@pytest.mark.parametrize("n", [2**63 + 1, 2**63 + 2**62, 3 * 2**61 + 5])
def test_bounded_draw_rejects_what_would_bias(n):
    """For bounds where a large part of all words must be rejected, the twin rejects and the compiled draw follows."""
    rng, twin = Rng(n), Xoshiro.seeded(n)
    assert [rng.below(n) for _ in range(500)] == [twin.below(n) for _ in range(500)]
    assert twin.draws > 520
    assert rng.state == tuple(twin.words)


@pytest.mark.parametrize("n", [1, 2, 2**32, 2**63, 2**64 - 1])
def test_bounded_draws_at_the_limits(n):
    """Powers of two and the largest bound agree with the twin."""
    rng, twin = Rng(5), Xoshiro.seeded(5)
    assert [rng.below(n) for _ in range(200)] == [twin.below(n) for _ in range(200)]


def test_floats_equal_twin():
    """Floats agree to the last bit and lie in [0, 1)."""
    rng, twin = Rng(11), Xoshiro.seeded(11)
    values = [rng.random() for _ in range(2000)]
    assert values == [twin.random() for _ in range(2000)]
    assert 0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1


@given(SEEDS, st.lists(st.integers(), max_size=70))
def test_shuffle_equals_twin(seed, items):
    """The shuffled lists agree, hold the same items, and the streams stand at the same state."""
    rng, twin = Rng(seed), Xoshiro.seeded(seed)
    ours, theirs = list(items), list(items)
    rng.shuffle(ours)
    twin.shuffle(theirs)
    assert ours == theirs
    assert Counter(ours) == Counter(items)
    assert rng.state == tuple(twin.words)


def test_shuffle_gives_every_order_equally_often():
    """24,000 shuffles of four items: each of the 24 orders about 1000 times (chi-square, 23 degrees, p = 0.001)."""
    rng = Rng(4)
    counts = Counter()
    for _ in range(24_000):
        items = list("abcd")
        rng.shuffle(items)
        counts["".join(items)] += 1
    assert len(counts) == 24
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 49.73


def test_choice_is_a_bounded_draw():
    """A choice takes the item at the twin's bounded draw, of any sequence."""
    rng, twin = Rng(8), Xoshiro.seeded(8)
    for items in ("abc", [1, 2, 3, 4, 5], (7,), range(1000)):
        for _ in range(50):
            assert rng.choice(items) == items[twin.below(len(items))]


def test_golden_streams():
    """The golden file is what the twin gives, and the compiled streams give the file."""
    text = make_rng.FILE.read_text(encoding="utf-8")
    assert text == make_rng.text()
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == len(make_rng.SEEDS) * make_rng.LENGTH
    streams = {}
    for row in rows:
        seed = int(row["seed"])
        rng = streams.setdefault(seed, Rng(seed))
        assert rng.next_u64() == int(row["value"]), row


def test_below_six_is_fair():
    """60,000 draws below 6: chi-square with 5 degrees of freedom below its 0.1 % point."""
    rng = Rng(6)
    counts = Counter(rng.below(6) for _ in range(60_000))
    assert sorted(counts) == list(range(6))
    assert sum((n - 10_000) ** 2 / 10_000 for n in counts.values()) < 20.52


def test_spawned_streams_are_those_of_seed_sequence_and_leave_the_parent_alone():
    """Children are the twins of SeedSequence's children, the same in every run, and the parent does not move."""
    parent = Rng(99)
    before = parent.state
    children = parent.spawn(3)
    assert parent.state == before
    for child, sequence in zip(children, np.random.SeedSequence(99).spawn(3), strict=True):
        twin = Xoshiro.seeded(sequence)
        assert [child.next_u64() for _ in range(50)] == [twin.next_u64() for _ in range(50)]
    assert [c.state for c in Rng(99).spawn(2)] == [c.state for c in Rng(99).spawn(2)]


def test_spawned_streams_are_independent():
    """Siblings, a second brood and the parent share no value, and are not correlated."""
    parent = Rng(17)
    streams = [parent, *parent.spawn(4), *parent.spawn(4)]
    draws = [[stream.next_u64() for _ in range(1000)] for stream in streams]
    assert len({value for row in draws for value in row}) == 9 * 1000
    correlation = np.corrcoef(np.array(draws, dtype=float))
    assert np.abs(correlation - np.eye(9)).max() < 0.15


@pytest.mark.parametrize("copied", [lambda rng: pickle.loads(pickle.dumps(rng)), copy.deepcopy])
def test_pickling_keeps_state_and_spawning(copied):
    """A copy goes on where the stream stood, and its next children are those the stream would have had."""
    rng = Rng([3, 5])
    for _ in range(13):
        rng.next_u64()
    rng.spawn(2)
    other = copied(rng)
    assert other.state == rng.state
    assert [c.state for c in other.spawn(2)] == [c.state for c in rng.spawn(2)]
    assert [other.next_u64() for _ in range(100)] == [rng.next_u64() for _ in range(100)]


def test_unseeded_streams_differ_and_can_be_repeated():
    """Without a seed each stream is fresh, and its entropy makes it again."""
    first, second = Rng(), Rng(None)
    assert first.state != second.state
    assert Rng(first.seed_sequence.entropy).state == first.state


@pytest.mark.parametrize("n", [0, -1, 2**64, 2**70])
def test_below_refuses_bounds_out_of_range(n):
    """A bound outside 1..2**64-1 is a ValueError and draws nothing."""
    rng = Rng(1)
    before = rng.state
    with pytest.raises(ValueError, match="n must be a whole number in"):
        rng.below(n)
    assert rng.state == before


@pytest.mark.parametrize("n", [1.5, 6.0, math.inf, "6", None])
def test_below_refuses_what_is_no_int(n):
    """No silent rounding of a bound."""
    with pytest.raises(ArgumentError, match="whole number"):
        Rng(1).below(n)


def test_other_bad_arguments():
    """Negative seeds, seeds of another type, empty choices, and rows that are no list."""
    for seed in (-1, "seed", 1.5):
        with pytest.raises(ArgumentError, match="a seed is a whole number"):
            Rng(seed)
    with pytest.raises(ValueError, match="empty"):
        Rng(1).choice([])
    for items in ((1, 2, 3), None):
        with pytest.raises(ArgumentError, match="a list"):
            Rng(1).shuffle(items)
