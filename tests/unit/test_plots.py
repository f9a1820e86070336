"""Figures and tables of experiments: the same bytes each time, one look, no trace in matplotlib's settings."""

import subprocess
import sys

import numpy as np
import pytest

from solver import plots, tables
from solver.errors import ArgumentError, MissingExtraError

matplotlib = pytest.importorskip("matplotlib")


def drawn(path, **options):
    with plots.figure(path, **options) as (figure, axes):
        axes.plot([1, 2, 3], [4, 5, 7], label="one")
        axes.plot([1, 2, 3], [3, 2, 1], label="two")
        axes.set(xlabel="iterations", ylabel="margin (points)")
        axes.legend()
    return figure, axes


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_same_figure_is_the_same_bytes(tmp_path, suffix):
    settings = dict(matplotlib.rcParams)
    drawn(tmp_path / f"one{suffix}")
    code = (
        f"import sys; from solver import plots\nwith plots.figure('two{suffix}') as (_, axes):\n"
        "    axes.plot([1, 2, 3], [4, 5, 7], label='one'); axes.plot([1, 2, 3], [3, 2, 1], label='two')\n"
        "    axes.set(xlabel='iterations', ylabel='margin (points)'); axes.legend()\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    one, two = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")
    assert dict(matplotlib.rcParams) == settings


def test_the_look(tmp_path):
    figure, axes = drawn(tmp_path / "a.svg", width=5, height=2)
    assert [line.get_color() for line in axes.lines] == list(plots.COLOURS[:2])
    assert figure.get_size_inches().tolist() == [5, 2]
    assert not axes.spines["top"].get_visible()
    assert axes.xaxis.get_label().get_color() == plots.STYLE["axes.labelcolor"]
    # a user's own settings do not show
    with matplotlib.rc_context({"lines.linewidth": 9}):
        _, axes = drawn(tmp_path / "a.svg")
    assert axes.lines[0].get_linewidth() == plots.STYLE["lines.linewidth"]
    with plots.figure(tmp_path / "b.svg", 2, 3) as (figure, axes):
        assert axes.shape == (2, 3)
    assert figure.get_size_inches().tolist() == [7, 6.6]


def test_a_figure_that_fails_is_not_written(tmp_path):
    with pytest.raises(ZeroDivisionError), plots.figure(tmp_path / "a.svg"):
        raise ZeroDivisionError
    for name in ("a.pdf", "a", "a.SVG"):
        with pytest.raises(ArgumentError, match=r"a figure is a \.svg or a \.png, not '.*a"), plots.figure(name):
            pass
    assert not list(tmp_path.iterdir())


def test_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told = r"matplotlib is not installed: pip install 'cardsolver\[plot\]'"
    with pytest.raises(MissingExtraError, match=told), plots.figure(tmp_path / "a.svg"):
        pass


def test_log_ticks(tmp_path):
    with plots.figure(tmp_path / "a.svg") as (figure, axes):
        axes.plot([1, 2], [0.3, 7])
        axes.set_yscale("log")
        plots.log_ticks(axes.yaxis)
        figure.draw_without_rendering()
        low, high = axes.get_ylim()
        shown = [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
        assert shown == ["0.5", "1", "2", "5"]
        assert not any(text.get_text() for text in axes.get_yticklabels(minor=True))


def test_heatmap(tmp_path):
    values = np.arange(62.0).reshape(2, 31)
    values[1, 3] = np.nan
    with plots.figure(tmp_path / "a.svg") as (figure, axes):
        image = plots.heatmap(axes, values, x=range(31), y=["low", "high"], label="value (per game)")
        assert (image.get_clim(), image.get_cmap().name) == ((0, 61), plots.SEQUENTIAL)
        assert image.get_array().mask.tolist() == np.isnan(values).tolist()
        assert [text.get_text() for text in axes.get_yticklabels()] == ["low", "high"]
        assert [text.get_text() for text in axes.get_xticklabels()] == [str(i) for i in range(0, 31, 3)]
        assert figure.axes[1].get_ylabel() == "value (per game)"
    with plots.figure(tmp_path / "a.svg") as (_, axes):
        image = plots.heatmap(axes, [[-3.0, 1.0]], x="ab", y="c", label="gain", diverging=True)
        assert (image.get_clim(), image.get_cmap().name) == ((-3, 3), plots.DIVERGING)
        with pytest.raises(ArgumentError, match=r"1 rows of 2 values are needed, not shape \(1, 3\)"):
            plots.heatmap(axes, [[1, 2, 3]], x="ab", y="c", label="gain")


def lightness(colour):
    """CIE L* of a colour of the form #rrggbb."""
    r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (r, g, b)]
    y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_colours_stand_out_from_paper():
    """Each is dark enough for a line on white."""
    assert all(lightness(colour) < 75 for colour in plots.COLOURS)
    assert len(set(plots.COLOURS)) == len(plots.MARKERS) == 7


ROWS = [{"name": "a|b", "n": 12345, "x": 0.123456789, "on": True}, {"name": "c", "n": None, "x": 1e-9, "on": False}]


def test_tables(tmp_path):
    tables.write_csv(tmp_path / "t.csv", ROWS)
    assert (tmp_path / "t.csv").read_bytes() == b"name,n,x,on\na|b,12345,0.123457,True\nc,,1e-09,False\n"
    tables.write_csv(tmp_path / "t.csv", ROWS, digits=2)
    assert b"0.12,True" in (tmp_path / "t.csv").read_bytes()
    assert tables.markdown(ROWS, {"x": ".2f"}) == (
        "| name | n | x | on |\n| --- | ---: | ---: | --- |\n"
        "| a\\|b | 12,345 | 0.12 | True |\n| c |  | 0.00 | False |\n"
    )
    assert "| 0.1235 |" in tables.markdown(ROWS)
    with pytest.raises(ArgumentError, match="at least one row"):
        tables.markdown([])
    with pytest.raises(ArgumentError, match=r"row 1 has the columns \['b'\], and row 0 has \['a'\]"):
        tables.write_csv(tmp_path / "t.csv", [{"a": 1}, {"b": 1}])
    with pytest.raises(ArgumentError, match=r"there is no column 'y': the columns are \['name', 'n', 'x', 'on'\]"):
        tables.markdown(ROWS, {"y": ".2f"})


def test_zero_has_no_sign(tmp_path):
    """Which one it has hangs on the order of a sum, and says nothing."""
    tables.write_csv(tmp_path / "t.csv", [{"a": -0.0}])
    assert (tmp_path / "t.csv").read_text().split() == ["a", "0"]
    assert tables.markdown([{"a": -0.0}]).splitlines()[-1] == "| 0 |"
