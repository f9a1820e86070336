# cython: language_level=3
"""The door through which a compiled solver meets a compiled game (see `ops.pxd`).

A compiled position returns a `SearchRoot` from its method `search_root(payoff)`; a search takes the
functions from it. Another package may `cimport` both and have its own game searched.
"""


cdef class SearchRoot:
    """The compiled functions of one position; made by the position, used by a search."""

    @property
    def num_players(self):
        """Number of seats."""
        return self.ops.num_players

    @property
    def observer(self):
        """The seat whose position it is."""
        return self.ops.observer
