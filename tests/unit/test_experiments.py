"""Every experiment of the checkout: its smoke run, and the run that is published with it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from solver import experiment, games, policy

HOME = Path(__file__).parents[2] / "experiments"
NAMES = sorted(path.parent.name for path in HOME.glob("*/run.py"))
EACH = [pytest.mark.needs("experiments"), pytest.mark.parametrize("name", NAMES)]
MOST = 1_000_000  # bytes of a published run


def each(function):
    for mark in EACH:
        function = mark(function)
    return function


def headings(text):
    """The headings of a report; figures that it shows."""
    return re.findall(r"^#+ .*$", text, re.MULTILINE), re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)


NUMBER = re.compile(r"\d+(?:\.(\d+))?(?:e([-+]?\d+))?")


def alike(text, other):
    """Whether two texts differ by no more than the last digit of numbers with a fraction, or the sign of a 0: numpy
    adds up in another order on another processor, and what lies between two roundings falls to either side."""
    if text == other:
        return True
    text, other = (re.sub(r"[-+](?=0\.0+(?!\d))", "", one) for one in (text, other))

    def units():
        for one, two in zip(NUMBER.finditer(text), NUMBER.finditer(other), strict=True):
            last = 10.0 ** (int(two[2] or 0) - len(two[1])) if two[1] else 0.0
            yield abs(float(one[0]) - float(two[0])) <= 1.001 * last

    return NUMBER.sub("#", text) == NUMBER.sub("#", other) and all(units())


def test_alike():
    assert alike("| -0.25 | 7 |", "| -0.26 | 7 |")
    assert alike("1.2e-05", "1.3e-05")
    assert alike("| -0.000 |", "| +0.000 |")
    assert not alike("| -0.25 | 7 |", "| -0.27 | 7 |")
    assert not alike("| -0.25 | 7 |", "| +0.25 | 7 |")
    assert not alike("| 7 |", "| 8 |")
    assert not alike("1.2e-05", "1.2e-04")


@each
def test_smoke(name, tmp_path):
    """It runs, finds what is known, and its report has the shape of the published one."""
    asked = experiment.load(name, HOME)
    out = tmp_path / "run"
    path = experiment.run(asked, "smoke", out)
    text = path.read_text()
    titles, figures = headings(text)
    assert titles
    assert titles[0].startswith("# ")
    assert "|" in text
    assert all((out / figure).stat().st_size for figure in figures)
    check = getattr(asked.module(), "check", None)
    if check is not None:
        check(experiment.read(out)[1])


@each
def test_published(name, tmp_path):
    """The published run is of the present `small` configuration and small; its report is made of its results."""
    asked = experiment.load(name, HOME)
    settings, results = experiment.read(asked.results)
    assert settings["scale"] == "small"
    assert settings["config"] == asked.config("small")
    assert settings["question"] == asked.question
    assert [task for task, _ in results] == asked.tasks(settings["config"])
    files = {path.relative_to(asked.results) for path in asked.results.rglob("*") if path.is_file()}
    files = {path for path in files if path.parts[0] != "files"}  # what tasks left is not published
    assert sum((asked.results / path).stat().st_size for path in files) < MOST
    again = tmp_path / "run"
    again.mkdir()
    for part in (experiment.CONFIG, experiment.RESULTS):
        shutil.copy(asked.results / part, again / part)
    text = experiment.report(asked, again).read_text()
    assert alike(text, (asked.results / experiment.REPORT).read_text())
    # figures hang on the version of matplotlib; tables do not
    made = {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    assert made <= files
    for path in made:
        if path.suffix in (".csv", ".md"):
            assert alike((again / path).read_text(), (asked.results / path).read_text()), path
        if path.suffix in (".json", ".jsonl"):
            assert (again / path).read_bytes() == (asked.results / path).read_bytes(), path
    assert all(figure in {str(file) for file in made} for figure in headings(text)[1])
    assert json.loads((asked.results / experiment.CONFIG).read_text())["revision"]


@each
def test_published_tables(name):
    """Policies that are published can be read, and say what they are of."""
    pytest.importorskip("pyarrow")
    for path in (HOME / name / "results").rglob("*.parquet"):
        table = policy.PolicyTable.from_parquet(path)
        assert len(table) > 0
        assert games.load(table.meta["game"])


@each
def test_readme(name):
    """It says the question, the method and how to read the answer, and where the results are."""
    text = (HOME / name / "README.md").read_text()
    for words in ("question", "method", "how to read"):
        assert words in text.lower(), words
    assert "results/report.md" in text
    assert f"({name}/README.md)" in (HOME / "README.md").read_text()
