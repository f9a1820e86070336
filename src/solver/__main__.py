"""`python -m solver` is the command `solver`."""

from solver.cli import main

main()
