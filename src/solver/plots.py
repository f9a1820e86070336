"""Figures with one look: the style, and a few helpers. Used by experiments and by `solver policy plot`.

Needs matplotlib, the extra ``plot``. Nothing here touches matplotlib's global state: no pyplot, no window,
no setting that outlasts a figure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver._extras import extra
from solver.errors import ArgumentError

__all__ = ["COLOURS", "DIVERGING", "MARKERS", "SEQUENTIAL", "STYLE", "figure", "heatmap", "log_ticks"]

# Okabe and Ito, "Color Universal Design" (2008), told apart with any kind of colour vision; yellow left out, which
# is too light for lines
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SEQUENTIAL = "cividis"  # colour map of values from none to much
DIVERGING = "PuOr"  # of values on both sides of 0

STYLE: Mapping[str, Any] = MappingProxyType(
    {
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.labelcolor": "#333333",
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "errorbar.capsize": 3,
        "figure.constrained_layout.use": True,
        "figure.titlesize": 12,
        "figure.titleweight": "bold",
        "font.size": 10,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "lines.markersize": 5,
        "savefig.dpi": 150,
        "svg.fonttype": "path",  # looks the same where the font is missing
        "svg.hashsalt": "solver",  # the same figure gives the same bytes
    }
)


@contextmanager
def figure(
    path: str | os.PathLike[str],
    rows: int = 1,
    columns: int = 1,
    *,
    width: float = 7.0,
    height: float | None = None,
    **subplots: Any,
) -> Iterator[tuple[Any, Any]]:
    """A figure in the house style, written to a file at the end of the block.

    Parameters
    ----------
    path : path-like
        Its suffix, ``.svg`` or ``.png``, is the format. The same figure gives the same bytes.
    rows, columns : int
        Of axes.
    width, height : float
        In inches; by default 3 inches a row of axes, and 0.6 more.
    **subplots
        More for `matplotlib.figure.Figure.subplots`: ``sharey=True``, for instance.

    Yields
    ------
    figure : matplotlib.figure.Figure
    axes : matplotlib.axes.Axes or numpy.ndarray
        One, or an array: of shape (columns,) with one row, (rows,) with one column, else (rows, columns).
        Lines take their colours from `COLOURS` in order.

    Raises
    ------
    ArgumentError
        If the suffix is another.
    MissingExtraError
        If matplotlib is not installed.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> with figure("margin.svg") as (_, axes):  # doctest: +SKIP
    ...     axes.errorbar([10, 100], [0.1, 0.4], yerr=[0.05, 0.04], label="search")
    ...     axes.set(xlabel="iterations a move", ylabel="margin (points a round)", xscale="log")
    ...     axes.legend()
    """
    suffix = Path(path).suffix
    if suffix not in (".svg", ".png"):
        raise ArgumentError(f"a figure is a .svg or a .png, not {os.fspath(path)!r}")
    extra("matplotlib", "plot")
    style, figures = extra("matplotlib.style", "plot"), extra("matplotlib.figure", "plot")
    cycler = extra("cycler", "plot").cycler
    with style.context(["default", {**STYLE, "axes.prop_cycle": cycler(color=COLOURS)}]):
        made = figures.Figure(figsize=(width, 3.0 * rows + 0.6 if height is None else height))
        yield made, made.subplots(rows, columns, **subplots)
        # a date or a version would make other bytes of the same figure
        made.savefig(path, metadata={"Date": None} if suffix == ".svg" else {"Software": None})


def log_ticks(axis: Any) -> None:
    """Ticks of a logarithmic axis at 1, 2 and 5 times powers of 10, as plain numbers.

    For axes of a few powers of 10; matplotlib's own suit longer ones. Within one power it adds others.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        ``axes.xaxis`` or ``axes.yaxis``, when its scale is set.
    """
    ticker = extra("matplotlib.ticker", "plot")
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(ticker.NullFormatter())


def heatmap(
    axes: Any,
    values: ArrayLike,
    *,
    x: Sequence[Any],
    y: Sequence[Any],
    label: str,
    low: float | None = None,
    high: float | None = None,
    diverging: bool = False,
) -> Any:
    """Values as colours, with a colour bar.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    values : array_like of float, shape (len(y), len(x))
        nan is left white.
    x, y : sequence
        What stands at the columns, from the left, and at the rows, from the bottom.
    label : str
        Of the colour bar, with the unit.
    low, high : float, optional
        Values of the two ends of the colours; by default the least and the greatest.
    diverging : bool
        Whether 0 is in the middle of the colours.

    Returns
    -------
    matplotlib.image.AxesImage

    Raises
    ------
    ArgumentError
        If the shape is another.
    """
    table = np.asarray(values, np.float64)
    if table.shape != (len(y), len(x)):
        raise ArgumentError(f"{len(y)} rows of {len(x)} values are needed, not shape {table.shape}")
    if diverging:
        reach = float(np.nanmax(np.abs(table))) or 1.0
        low, high = -reach if low is None else low, reach if high is None else high
    shown = axes.imshow(
        np.ma.masked_invalid(table),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        cmap=DIVERGING if diverging else SEQUENTIAL,
        vmin=low,
        vmax=high,
    )
    axes.grid(False)
    for axis, names, most in ((axes.xaxis, x, 11), (axes.yaxis, y, 16)):  # more could not be read
        step = max(1, -(-len(names) // most))
        axis.set_ticks(range(0, len(names), step), [str(name) for name in names[::step]])
    axes.figure.colorbar(shown, ax=axes, label=label)
    return shown
