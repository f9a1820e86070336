# cython: language_level=3
"""SCOUT's options, for `scout.pyx`."""
from solver.games._scout cimport rules_t


cdef int action_id(object action, int limit) except -1


cdef class Options:
    cdef rules_t rules
    cdef dict _parameters
    cdef str _text
