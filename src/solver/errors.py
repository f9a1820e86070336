"""Errors of this library. Each is a `ValueError` whose text says what is wrong, where, and what would be right."""

__all__ = ["ArgumentError", "GameOptionError", "IllegalActionError", "PositionError", "SearchError", "SolverError"]


class SolverError(ValueError):
    """What all errors of this library are."""


class ArgumentError(SolverError):
    """An argument is out of its range."""


class GameOptionError(SolverError):
    """An option of a game is unknown, out of range, or cannot be dealt."""


class IllegalActionError(SolverError):
    """An action is not legal in the state it was applied to, or its text names none."""


class PositionError(SolverError):
    """A position cannot be read, or no deal can produce it.

    Attributes
    ----------
    column : int or None
        1-based column of the text where the fault lies; None for a fault outside a text.
    """

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message if column is None else f"column {column}: {message}")
        self.message = message
        self.column = column

    def __reduce__(self) -> tuple[type, tuple[str, int | None]]:
        return type(self), (self.message, self.column)


class SearchError(SolverError):
    """A search was asked for what it cannot do: no budget, an unknown option, nothing to decide."""
