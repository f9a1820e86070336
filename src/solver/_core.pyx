# cython: language_level=3
"""Compiled kernels: the seeded random stream and SCOUT's sets of adjacent cards.

The inline kernels themselves stand in `_core.pxd`, where the compiled games take them from; this
module gives them a Python door. Users reach the set functions as `solver.scout.legal_sets` and
`solver.scout.beats`, and meet `Rng` as the `seed` of a deal, a sample or a search.
"""
from libc.stdint cimport uint8_t, uint64_t

import operator
import time
from collections.abc import Sequence

import numpy as np

from solver.errors import ArgumentError


cdef enum:
    MAX_SEED = 1 << 16          # numbers in a seed


cdef class Rng:
    """A random stream of its own: xoshiro256** seeded through `numpy.random.SeedSequence`.

    Parameters
    ----------
    seed : int or sequence of int or numpy.random.SeedSequence or None
        None takes fresh entropy from the operating system; `seed_sequence.entropy` then tells it.

    Raises
    ------
    ArgumentError
        If `seed` is anything else, an integer in it is negative, or it has more than 65,536.

    Notes
    -----
    The same seed gives the same stream on every machine and version (golden streams are among
    the tests). Not for cryptography.
    """

    def __cinit__(self, seed=None):
        cdef int j
        self.seed_sequence = seed_sequence(seed)
        words = self.seed_sequence.generate_state(4, np.uint64)
        for j in range(4):
            self.c.s[j] = int(words[j])
        if not (self.c.s[0] | self.c.s[1] | self.c.s[2] | self.c.s[3]):
            self.c.s[0] = 1             # the one state that the generator would never leave

    def next_u64(self):
        """The next 64 bits, as an int."""
        return rng_next(&self.c)

    def below(self, n):
        """A uniform int in [0, n), 1 <= n < 2**64, without bias."""
        bound = whole(n)
        if bound is None or not 1 <= bound < 2**64:
            raise ArgumentError(f"n must be a whole number in 1..2**64-1, not {n!r}")
        return rng_below(&self.c, bound)

    def random(self):
        """A uniform float in [0, 1), a multiple of 2**-53."""
        return rng_double(&self.c)

    def shuffle(self, items):
        """Put a list into uniformly random order, in place."""
        cdef Py_ssize_t i, j
        if not isinstance(items, list):
            raise ArgumentError(f"a list is put into order, not {items!r}")
        cdef list row = items
        for i in range(len(row) - 1, 0, -1):
            j = <Py_ssize_t> rng_below(&self.c, i + 1)
            row[i], row[j] = row[j], row[i]

    def choice(self, items):
        """A uniformly random element of a non-empty sequence.

        Raises
        ------
        ArgumentError
            If the sequence is empty, or is none.
        """
        try:
            if not len(items):
                raise ArgumentError("cannot choose from an empty sequence")
            return items[rng_below(&self.c, len(items))]
        except (LookupError, TypeError) as error:
            raise ArgumentError(f"a sequence to choose from is needed, not {items!r}") from error

    def spawn(self, n):
        """`n` independent streams, as `SeedSequence.spawn` makes them; this stream does not move."""
        count = whole_in(n, 0, 2**31)
        if count is None:
            raise ArgumentError(f"n must be a whole number of at least 0, not {n!r}")
        return [Rng(child) for child in self.seed_sequence.spawn(count)]

    @property
    def state(self):
        """The four 64-bit words of the generator."""
        return (self.c.s[0], self.c.s[1], self.c.s[2], self.c.s[3])

    def __repr__(self):
        return f"Rng(entropy={self.seed_sequence.entropy}, state={self.state})"

    def __reduce__(self):
        return _restore_rng, (self.seed_sequence, self.state)


def _restore_rng(seed_sequence, state):
    cdef Rng result = Rng(seed_sequence)
    cdef int j
    for j in range(4):
        result.c.s[j] = state[j]
    return result


cdef Rng as_rng(object seed):
    """The stream itself if `seed` is one, else a new one from the seed."""
    return seed if isinstance(seed, Rng) else Rng(seed)


cpdef object seed_sequence(object seed):
    """A seed, as `Rng` takes it, as a numpy.random.SeedSequence; the object itself if it is one.

    Looked at here, since numpy takes text as well, fails with errors of Python's, and goes down into
    lists of lists without end.
    """
    if seed is None or isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence() if seed is None else seed
    words = whole(seed)
    if words is None and isinstance(seed, (Sequence, np.ndarray)) and getattr(seed, "ndim", 1) == 1:
        words = [whole(word) for word in seed] if len(seed) <= MAX_SEED else None
    for number in words if isinstance(words, list) else [words]:
        if number is None or number < 0:
            raise ArgumentError(f"a seed is a whole number >= 0, or a sequence of such, not {seed!r}")
    return np.random.SeedSequence(words)


cpdef list uniforms(object draw, int count):
    """What `draw` gives in so many calls: floats in [0, 1).

    Raises
    ------
    ArgumentError
        If it cannot be called, or gives something else. What it raises is raised.
    """
    if not callable(draw):
        raise ArgumentError(f"uniform_01 is something to call, not {draw!r}")
    result = []
    for _ in range(count):
        u = draw()
        if not isinstance(u, (float, int, np.floating)) or not 0 <= u < 1:
            raise ArgumentError(f"uniform_01 must return floats in [0, 1), not {u!r}")
        result.append(float(u))
    return result


cpdef list listed(object items, str what):
    """What is iterated over, as a list.

    Raises
    ------
    ArgumentError
        If it cannot be.
    """
    try:
        return list(items)
    except TypeError as error:
        raise ArgumentError(f"{what} is a sequence, not {items!r}") from error


cpdef object whole_in(object value, long long low, long long high):
    """A whole number in low..high as an int; None for anything else."""
    number = whole(value)
    return None if number is None or not low <= number <= high else number


cpdef double share_of_one(object value, str name) except? -1:
    """A chance: a number in 0..1, of any numeric type.

    Raises
    ------
    ArgumentError
        If it is none; bools are none, and texts.
    """
    cdef double result = -1
    if not isinstance(value, (bool, str)):
        try:
            result = float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    if not 0 <= result <= 1:
        raise ArgumentError(f"{name} must be a number in 0..1, not {value!r}")
    return result


cpdef object whole(object value):
    """A whole number as an int; None for anything else, bools included."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


# ------------------------------------------------------------------------------------------------
# Sets of adjacent cards

cdef int _number(object number, str where) except -1:
    """The number on a card."""
    result = whole(number)
    if result is None or not 1 <= result <= MAX_NUMBER:
        raise ArgumentError(f"{where}: a number in 1..{MAX_NUMBER} is needed, not {number!r}")
    return result


cdef int _load_tops(object tops, hand_t* hand) except -1:
    """The row of numbers as planes; the number of cards."""
    cdef uint8_t cards[MAX_HAND]
    cdef int n = 0
    row = listed(tops, "a row")
    if len(row) > MAX_HAND:
        raise ArgumentError(f"a row holds at most {MAX_HAND} cards, not {len(row)}")
    for i, number in enumerate(row):
        cards[n] = <uint8_t> _number(number, f"place {i}")
        n += 1
    hand_load(hand, cards, n, 0)
    return n


cdef int _code(object tops) except -1:
    """Strength of a row of numbers that must be a set; 0 for an empty row."""
    cdef hand_t hand
    cdef uint64_t starts[MAX_HAND + 1]
    cdef int n = _load_tops(tops, &hand)
    if n == 0:
        return 0
    if beating_starts(&hand, n, 0, starts) < n:
        raise ArgumentError(f"{'-'.join(str(t) for t in tops)} is no set: the numbers must be all "
                            "equal, or step by exactly 1 in one direction")
    cdef int first = hand_top(&hand, 0), last = hand_top(&hand, n - 1)
    return strength_code(n, first == last, min(first, last))


def legal_sets(tops, active=None):
    """Every set of adjacent cards in a row that may be shown.

    Parameters
    ----------
    tops : sequence of int
        The row's numbers, left to right; 0 to 64 of them, each in 1..15.
    active : sequence of int, optional
        Numbers of the Active Set that must be beaten, left to right; none or empty for an empty
        table.

    Returns
    -------
    list of (int, int)
        (start, length) of each set, start 0-based, ascending by start, then by length.

    Raises
    ------
    ArgumentError
        If a number is out of range, a row too long, or `active` is no set.

    Notes
    -----
    Rulebook: "Show". A set is one card, or adjacent cards that are all equal (a group) or step by
    exactly 1 in one direction (a run).

    Examples
    --------
    >>> legal_sets([3, 4, 4], active=[4])
    [(0, 2), (1, 2)]
    """
    cdef hand_t hand
    cdef uint64_t starts[MAX_HAND + 1]
    cdef uint64_t mask
    cdef int n = _load_tops(tops, &hand)
    cdef int code = _code(() if active is None else active)
    cdef int length, longest = beating_starts(&hand, n, code, starts)
    result = []
    for length in range(max(1, code >> 8), longest + 1):
        mask = starts[length]
        while mask:
            result.append((lowest(mask), length))
            mask &= mask - 1
    result.sort()
    return result


def beats(a, b):
    """Whether the set `a` is stronger than the set `b`; any set beats an empty table.

    Parameters
    ----------
    a, b : sequence of int
        The numbers of the two sets, left to right, each in 1..15; `b` may be empty.

    Returns
    -------
    bool

    Raises
    ------
    ArgumentError
        If `a` is empty, or one of them is no set.

    Notes
    -----
    Rulebook: "Strength". More cards beat fewer; with as many cards a group beats a run; then the
    higher smallest number wins; equal strength does not beat.

    Examples
    --------
    >>> beats([2, 2], [8, 9])
    True
    >>> beats([8], [8])
    False
    """
    cdef int code = _code(a)
    if code == 0:
        raise ArgumentError("the first set is empty: at least one card is needed")
    return code > _code(b)


def placing_beats(tops, number, active):
    """Places where a card put into the row leaves a set that beats `active`.

    Parameters
    ----------
    tops : sequence of int
        The row's numbers, left to right; at most 63, each in 1..15.
    number : int
        Top number of the card, in 1..15.
    active : sequence of int
        Numbers of the set to beat; may be empty.

    Returns
    -------
    list of int
        Places in 0..len(tops), ascending.

    Raises
    ------
    ArgumentError
        If a number is out of range, the row too long, or `active` is no set.
    """
    cdef hand_t hand
    cdef int n = _load_tops(tops, &hand)
    cdef int p
    if n == MAX_HAND:
        raise ArgumentError(f"a row that takes another card holds at most {MAX_HAND - 1} cards")
    cdef int top = _number(number, "the card")
    cdef uint64_t places = places_beating(&hand, n, top, _code(active))
    return [p for p in range(n + 1) if places >> p & 1]


def picked_sets(tops, active=None):
    """The sets of `legal_sets`, as random play counts and picks them: one for each number drawn.

    Parameters
    ----------
    tops, active : as `legal_sets`

    Returns
    -------
    list of (int, int)
        (start, length) of the set that each number 0, 1, ... picks. For tests: the same sets, each
        once, in an order of its own.
    """
    cdef hand_t hand
    cdef hand_t table
    cdef uint64_t starts[MAX_HAND + 1]
    cdef shows_t shows
    cdef set_t rival, picked
    cdef pairs_t pairs
    cdef int n = _load_tops(tops, &hand), i
    row = [] if active is None else listed(active, "active")
    rival.first = rival.size = rival.low = rival.kind = 0
    if _code(row):
        i = _load_tops(row, &table)
        pairs = hand_pairs(&table, i)
        rival = set_at(&table, &pairs, 0, i)
    find_shows(&hand, n, rival, &shows, starts)
    result = []
    for i in range(shows.count):
        picked = pick_show(&hand, &shows, starts, i)
        result.append((picked.first, picked.size))
    return result


def time_sets(tops, active, repeat):
    """Seconds for `repeat` enumerations of all sets that beat `active`, in C; for benchmarks."""
    cdef hand_t hand
    cdef uint64_t starts[MAX_HAND + 1]
    cdef int n = _load_tops(tops, &hand), code = _code(active), total = 0
    cdef long long _i, count = repeat
    began = time.perf_counter()
    with nogil:
        for _i in range(count):
            hand.plane[0] ^= total == 0         # hangs on the last result, so none is skipped
            total += beating_starts(&hand, n, code, starts)
    return time.perf_counter() - began
