"""Errors of this library. Each is a `ValueError` whose text says what is wrong, where, and what would be right."""

__all__ = [
    "AgentError",
    "ArchiveError",
    "ArgumentError",
    "CompileError",
    "ExperimentError",
    "GameError",
    "GameOptionError",
    "IllegalActionError",
    "MissingExtraError",
    "PolicyError",
    "PositionError",
    "RecordError",
    "SearchError",
    "SolverError",
]


class SolverError(ValueError):
    """What all errors of this library are."""


class AgentError(SolverError):
    """An agent failed in an arena, or played what is not legal.

    Attributes
    ----------
    agent : str
        Its name.
    deal, table : int
        0-based numbers of the deal and of the table at which it was played.
    position : str
        What the agent saw.
    """

    def __init__(self, fault: str, agent: str, deal: int, table: int, position: str) -> None:
        super().__init__(f"agent {agent} {fault} (deal {deal}, table {table}, position: {position})")
        self.fault = fault
        self.agent = agent
        self.deal = deal
        self.table = table
        self.position = position

    def __reduce__(self) -> tuple[type, tuple[str, str, int, int, str]]:
        return type(self), (self.fault, self.agent, self.deal, self.table, self.position)


class ArchiveError(SolverError):
    """A file is damaged, or is another program's, of another kind or of another format version."""


class ArgumentError(SolverError):
    """An argument is out of its range."""


class CompileError(SolverError):
    """A game cannot be compiled: too large, without perfect recall, or contradicting itself.

    Attributes
    ----------
    too_large : bool
        Whether it is the size alone; sampling may still solve it.
    draws : bool
        Whether the game draws by itself, without chance nodes; sampling may still solve it.
    """

    def __init__(self, message: str, too_large: bool = False, draws: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large
        self.draws = draws

    def __reduce__(self) -> tuple[type, tuple[str, bool, bool]]:
        return type(self), (str(self), self.too_large, self.draws)


class ExperimentError(SolverError):
    """An experiment is not there or not as it should be, a task of it failed, or a folder is of another run."""


class GameError(SolverError):
    """A game that a user wrote says what `solver.protocol` does not ask for, or has no end."""


class GameOptionError(SolverError):
    """An option of a game is unknown, out of range, or cannot be dealt."""


class IllegalActionError(SolverError):
    """An action is not legal in the state it was applied to, or its text names none."""


class MissingExtraError(SolverError, ImportError):
    """A package is not installed that only an extra of this library brings."""


class PolicyError(SolverError):
    """A policy lacks an information state, is none (its probabilities do not sum to 1), or is of another game."""


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


class RecordError(SolverError):
    """A record of play is damaged, is of other settings, or is not what is played again."""


class SearchError(SolverError):
    """A search was asked for what it cannot do: no budget, an unknown option, nothing to decide."""
