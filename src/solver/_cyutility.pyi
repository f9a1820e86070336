# What Cython's generated code shares (setup.py); nothing here is for callers.
