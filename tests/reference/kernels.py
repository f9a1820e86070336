"""Readable twins of the compiled kernels: slow, obvious, and written from the papers and the rules.

The random stream follows Blackman and Vigna, "Scrambled linear pseudorandom number generators" (ACM TOMS 47, 2021),
the bounded draw Lemire, "Fast random integer generation in an interval" (ACM TOMACS 29, 2019). The sets of adjacent
cards follow the rulebook's sections "Show" and "Strength", by trying everything.
"""

from itertools import pairwise

import numpy as np

WORD = 2**64


# ---------------------------------------------------------------------------------------------------------------------
# Random stream
# ---------------------------------------------------------------------------------------------------------------------


def rotated_left(word: int, bits: int) -> int:
    """A 64-bit word, rotated."""
    return (word << bits | word >> (64 - bits)) % WORD


class Xoshiro:
    """xoshiro256**: four words of state, a linear engine and the ** scrambler on the second word."""

    def __init__(self, words):
        self.words = [int(word) for word in words]
        self.draws = 0

    @classmethod
    def seeded(cls, seed) -> "Xoshiro":
        """The stream whose state numpy's SeedSequence makes of a seed."""
        sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        return cls(sequence.generate_state(4, np.uint64))

    def next_u64(self) -> int:
        a, b, c, d = self.words
        result = rotated_left(b * 5 % WORD, 7) * 9 % WORD
        shifted = (b << 17) % WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotated_left(d, 45)
        self.words = [a, b, c, d]
        self.draws += 1
        return result

    def below(self, n: int) -> int:
        """Uniform in [0, n): the high word of a 128-bit product, where the low word is not among the 2**64 mod n
        values that would favour some results."""
        product = self.next_u64() * n
        if product % WORD < n:
            threshold = (WORD - n) % n
            while product % WORD < threshold:
                product = self.next_u64() * n
        return product // WORD

    def random(self) -> float:
        """Uniform in [0, 1): the 53 highest bits."""
        return (self.next_u64() // 2**11) / 2**53

    def shuffle(self, items: list) -> None:
        """Fisher and Yates: the last place takes any of all items, then the last but one any of the rest, ..."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


# ---------------------------------------------------------------------------------------------------------------------
# Sets of adjacent cards
# ---------------------------------------------------------------------------------------------------------------------


def is_set(tops: list[int]) -> bool:
    """One card; or cards that are all equal, or all step by +1, or all by -1."""
    steps = {right - left for left, right in pairwise(tops)}
    return len(tops) >= 1 and len(steps) <= 1 and steps <= {0, 1, -1}


def strength(tops: list[int]) -> tuple[int, bool, int]:
    """More cards, then group before run, then the higher smallest number. A single card is a group."""
    if not is_set(tops):
        raise ValueError(f"not a set: {tops}")
    return len(tops), len(set(tops)) == 1, min(tops)


def beats(a: list[int], b: list[int]) -> bool:
    """Whether the set `a` is stronger than the set `b`, which may be empty."""
    return not b or strength(a) > strength(b)


def legal_sets(tops: list[int], active: list[int]) -> list[tuple[int, int]]:
    """Every (start, length) of the row that is a set and beats `active`."""
    found = []
    for start in range(len(tops)):
        for end in range(start + 1, len(tops) + 1):
            part = tops[start:end]
            if not is_set(part):
                break  # a longer row with this beginning is no set either
            if beats(part, active):
                found.append((start, end - start))
    return found


def has_beating(tops: list[int], active: list[int]) -> bool:
    """Whether any set of the row beats `active`, by trying the lengths that could."""
    for length in range(max(1, len(active)), len(tops) + 1):
        parts = [tops[start : start + length] for start in range(len(tops) - length + 1)]
        sets = [part for part in parts if is_set(part)]
        if any(beats(part, active) for part in sets):
            return True
        if not sets:
            return False  # a longer set would hold one of this length
    return False


def placing_beats(tops: list[int], number: int, active: list[int]) -> list[int]:
    """Every place at which the number, put into the row, leaves a set that beats `active`."""
    return [place for place in range(len(tops) + 1) if has_beating([*tops[:place], number, *tops[place:]], active)]
