# cython: language_level=3
"""What SCOUT's constants are found by, for `scout.pyx`."""
from solver._core cimport Rng
from solver.games._scout_learnt cimport net_t
from solver.games._scout_options cimport Options
from solver.games._scout_rows cimport weights_t


cdef class Lessons(Options):
    cdef _contest(self, int count, Rng rng, const weights_t** sides, const net_t* net)
