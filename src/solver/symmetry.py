"""Information states that cannot be told apart, merged before a tree is solved.

Suits of equal rank, seats of a die that no bid asks for: much of a card game is the same thing under
other names. Two sequences are put into one class where the own decisions that lead to them, those that
follow, and the pay-offs against each class of the others' sequences are the same (the coarsest equitable
partition, found by refining colours as Weisfeiler and Leman do). Every method of `cfr` starts from the
uniform strategy and treats all information states alike, so its iterates are the same throughout a class,
and one of the class is enough: the merged tree gives the same iterates, averages and best responses.

A class of k information states stands in the merged tree as one whose pay-offs are the sum of theirs; so
its regrets are k times those of each, which changes no strategy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.tree import Floats, Ints, Treeplex

__all__ = ["Merged", "equal_rows", "merge"]

_MANTISSA = 40  # bits of a pay-off that must agree; the rest may differ by the order of multiplications
_TOLERANCE = 1e-9
_SAVED = 0.6  # equal rows are kept once where that leaves at most this share of the entries

_ROUNDS = 500
_SMALL = 1000  # sequences; from here on
_WORTH = 0.9  # a merged tree is worth making if it has at most this share of the sequences

Words = NDArray[np.uint64]


class Merged(NamedTuple):
    """A smaller tree with the same solutions.

    Attributes
    ----------
    treeplexes : tuple of Treeplex
        Without texts.
    classes : tuple of int32 arrays, shape (sequences,) each
        For each player the merged sequence of every sequence.
    sizes : tuple of int32 arrays, shape (merged sequences,) each
        How many sequences were merged into each.
    """

    treeplexes: tuple[Treeplex, ...]
    classes: tuple[Ints, ...]
    sizes: tuple[Ints, ...]


def _mix(words: Words) -> Words:
    """Scramble 64-bit words (the finalizer of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _runs(words: Words, bounds: NDArray[Any]) -> Words:
    """Sums (modulo 2**64) of the runs of words between bounds."""
    total = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(words, out=total[1:])
    runs: Words = total[bounds[1:]] - total[bounds[:-1]]
    return runs


def _count(words: Words) -> int:
    return len(np.unique(words))


class _Colours:
    """Colours of one player's sequences, and what refines them."""

    def __init__(self, plex: Treeplex) -> None:
        self.plex = plex
        counts = np.diff(plex.first)
        self.owner = np.repeat(np.arange(plex.num_infosets), counts)
        self.position = (np.arange(1, plex.num_sequences) - np.repeat(plex.first[:-1], counts)).astype(np.uint64)
        mantissa, exponent = np.frexp(plex.payoffs)
        exact = np.round(np.ldexp(mantissa, _MANTISSA)).astype(np.int64).view(np.uint64)
        self.payoffs = _mix(exact + _mix(exponent.astype(np.int64).view(np.uint64)))
        self.colour = np.zeros(plex.num_sequences, dtype=np.uint64)
        self.colour[1:] = _mix(self.position * np.uint64(64) + np.repeat(counts, counts).astype(np.uint64))

    def refined(self, columns: Words) -> Words:
        """The next colours, given those of the columns."""
        plex = self.plex
        ends = _runs(_mix(self.payoffs + columns[plex.columns]), plex.rows)
        siblings = _runs(_mix(self.colour[1:] * np.uint64(3) + self.position), plex.first - 1)
        after = _runs(_mix(siblings), plex.child)
        result = _mix(self.colour + _mix(ends + _mix(after)))
        lead = _mix(_mix(self.colour[plex.parent]) + siblings)
        result[1:] = _mix(result[1:] * np.uint64(5) + lead[self.owner])
        return result


def merge(treeplexes: tuple[Treeplex, ...]) -> Merged | None:
    """Merge what cannot be told apart.

    Parameters
    ----------
    treeplexes : tuple of Treeplex

    Returns
    -------
    Merged or None
        None where (next to) nothing can be merged, or it takes too many rounds to find out.
    """
    colours = [_Colours(plex) for plex in treeplexes]
    count = [_count(each.colour) for each in colours]
    total = sum(plex.num_sequences for plex in treeplexes)
    for _ in range(_ROUNDS):
        columns = [_column_colours(p, colours) for p in range(len(treeplexes))]
        for each, column in zip(colours, columns, strict=True):
            each.colour = each.refined(column)
        refined = [_count(each.colour) for each in colours]
        if sum(refined) == total or (total > _SMALL and sum(refined) > _WORTH * total):
            return None
        if refined == count:
            break
        count = refined
    else:
        return None  # too deep to be worth it: colours travel one level a round
    classes = tuple(_numbered(each) for each in colours)
    sizes = tuple(np.bincount(c).astype(np.int32) for c in classes)
    merged = tuple(_merged(p, treeplexes, classes, sizes) for p in range(len(treeplexes)))
    if any(plex is None for plex in merged):
        return None  # two colours collided, by a chance of 2**-64: nothing is merged
    return Merged(tuple(plex for plex in merged if plex is not None), classes, sizes)


def _column_colours(player: int, colours: list[_Colours]) -> Words:
    """Colours of the columns: of the rival's sequences, or of tuples of them."""
    plex = colours[player].plex
    rivals = [p for p in range(len(colours)) if p != player]
    total = np.zeros(len(plex.joint), dtype=np.uint64)
    for k, rival in enumerate(rivals):
        total += _mix(colours[rival].colour[plex.joint[:, k]] + np.uint64(rival))
    return _mix(total)


def _numbered(colours: _Colours) -> Ints:
    """Classes numbered in the order of a treeplex: by level, then parent class, actions side by side."""
    plex = colours.plex
    result = np.zeros(plex.num_sequences, dtype=np.int32)
    following = 1
    for d in range(len(plex.level) - 1):
        begin, end = int(plex.level[d]), int(plex.level[d + 1])
        heads = colours.colour[plex.first[begin:end]]  # an information state is known by its first sequence
        _, where, index = np.unique(heads, return_index=True, return_inverse=True)
        order = np.lexsort((where, result[plex.parent[begin + where]]))
        counts = np.diff(plex.first)[begin + where][order]
        begins = np.empty(len(order), dtype=np.int64)
        begins[order] = following + np.cumsum(counts) - counts
        following += int(counts.sum())
        lo, hi = int(plex.first[begin]), int(plex.first[end])
        owner = colours.owner[lo - 1 : hi - 1] - begin
        result[lo:hi] = begins[index[owner]] + colours.position[lo - 1 : hi - 1].astype(np.int64)
    return result


def _merged(
    player: int, treeplexes: tuple[Treeplex, ...], classes: tuple[Ints, ...], sizes: tuple[Ints, ...]
) -> Treeplex | None:
    """The merged treeplex of a player; None if its classes turn out not to be equitable."""
    plex, mine, size = treeplexes[player], classes[player], sizes[player]
    rivals = [p for p in range(len(treeplexes)) if p != player]
    if len(rivals) == 1:
        column = classes[rivals[0]].astype(np.int64)
        joint = np.arange(len(sizes[rivals[0]]), dtype=np.int32)[:, None]
    else:
        column = np.zeros(len(plex.joint), dtype=np.int64)
        for k, rival in enumerate(rivals):
            _, column = np.unique(column * len(sizes[rival]) + classes[rival][plex.joint[:, k]], return_inverse=True)
        _, firsts = np.unique(column, return_index=True)
        joint = np.empty((len(firsts), len(rivals)), dtype=np.int32)
        for k, rival in enumerate(rivals):
            joint[:, k] = classes[rival][plex.joint[firsts, k]]
    width = len(joint)
    owner = np.repeat(np.arange(plex.num_sequences), np.diff(plex.rows))
    one, where = np.unique(owner * np.int64(width) + column[plex.columns], return_inverse=True)
    single = np.bincount(where, weights=plex.payoffs, minlength=len(one))  # of each own sequence, by class of columns
    key, index, times = np.unique(
        mine[one // width] * np.int64(width) + one % width, return_inverse=True, return_counts=True
    )
    entries = np.bincount(index, weights=single, minlength=len(key)).astype(np.float64)
    mean = (entries / times)[index]
    scale = float(np.abs(plex.payoffs).max()) if len(plex.payoffs) else 0.0
    if (times != size[key // width]).any() or (np.abs(single - mean) > _TOLERANCE * scale).any():
        return None
    kept = np.abs(entries) > 1e-15 * scale
    key, entries = key[kept], entries[kept]
    number = len(size)
    rows = np.searchsorted(key, np.arange(number + 1, dtype=np.int64) * width).astype(np.int64)
    # one of each class of information states, in the order of their first sequences
    heads = mine[plex.first[:-1]]
    first, which = np.unique(heads, return_index=True)
    parent = mine[plex.parent[which]]
    actions = np.full(number, -1, dtype=np.int32)
    actions[mine] = plex.actions
    level = np.searchsorted(which_level(plex, which), np.arange(len(plex.level))).astype(np.int32)
    return replace(
        plex,
        first=np.append(first, number).astype(np.int32),
        parent=parent,
        child=np.searchsorted(parent, np.arange(number + 1)).astype(np.int32),
        level=level,
        actions=actions,
        texts=[],
        rows=rows,
        columns=(key % width).astype(np.int32),
        payoffs=entries,
        joint=joint,
    )


def which_level(plex: Treeplex, infosets: NDArray[Any]) -> NDArray[Any]:
    """The level of information states."""
    return np.searchsorted(plex.level, infosets, side="right") - 1


def equal_rows(plex: Treeplex) -> tuple[NDArray[np.int64], Ints, Floats, Ints] | None:
    """The pay-off matrix with equal rows kept once.

    Two sequences have equal rows where what tells them apart does not count any more, such as two faces
    of a die that the last bid did not ask for.

    Parameters
    ----------
    plex : Treeplex

    Returns
    -------
    rows, columns, payoffs, row : arrays, or None
        The matrix as in `Treeplex`, and for each sequence its row. None where it saves too little.
    """
    lengths = np.diff(plex.rows)
    words = _mix(plex.payoffs.view(np.uint64) + _mix(plex.columns.astype(np.uint64)))
    colours = _mix(_runs(words, plex.rows) + lengths.astype(np.uint64))
    _, kept, index = np.unique(colours, return_index=True, return_inverse=True)
    if lengths[kept].sum() > _SAVED * lengths.sum():
        return None
    # rows in the order in which sequences first have them
    order = np.argsort(kept)
    kept = kept[order]
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    row: Ints = place[index]
    rows = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(lengths[kept], out=rows[1:])
    entries = np.repeat(plex.rows[kept] - rows[:-1], lengths[kept]) + np.arange(rows[-1])
    columns, payoffs = plex.columns[entries], plex.payoffs[entries]
    again = np.repeat(rows[row] - plex.rows[:-1], lengths) + np.arange(len(plex.columns))
    if (lengths != lengths[kept][row]).any() or (
        (columns[again] != plex.columns) | (payoffs[again] != plex.payoffs)
    ).any():
        return None  # two colours collided
    return rows, columns, payoffs, row
