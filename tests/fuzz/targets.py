"""All targets; importing this fills `harness.TARGETS`."""

from __future__ import annotations

from tests.fuzz import broken_games, calls, commands, files, plays, texts

__all__ = ["broken_games", "calls", "commands", "files", "plays", "texts", "warm_up"]


def warm_up() -> None:
    """Make what the inputs are made of."""
    texts.actions()
    files.made()
    calls.calls()
