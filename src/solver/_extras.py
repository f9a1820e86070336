"""Packages that only an extra of this library brings; imported where they are used, and named where they lack."""

from __future__ import annotations

import importlib
from typing import Any

from solver.errors import MissingExtraError

__all__ = ["extra"]


def extra(module: str, name: str) -> Any:
    """A module that an extra of this library brings.

    Parameters
    ----------
    module : str
        Its name.
    name : str
        The extra.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(f"{module} is not installed: pip install 'cardsolver[{name}]'") from None
