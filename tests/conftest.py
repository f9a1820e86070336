"""Settings shared by all tests: hypothesis draws the same examples in every run."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("fixed")
