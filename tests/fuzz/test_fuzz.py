"""Some inputs of every kind that `make fuzz` makes without end, and the harness itself."""

import pytest

from solver.errors import ArgumentError

harness = pytest.importorskip("tests.fuzz.harness", reason="limits on memory are of Unix")
targets = pytest.importorskip("tests.fuzz.targets")

A_SHARE = 5  # inputs for each unit of a target's share, and a few


@pytest.mark.parametrize("name", sorted(harness.TARGETS))
def test_some_inputs(name):
    kind, tally = harness.TARGETS[name], harness.Tally()
    targets.warm_up()
    with harness.guarded():
        for number in range(15 + int(A_SHARE * kind.share)):
            harness.once(kind, number, tally)
    assert [(finding.number, finding.trace) for finding in tally.findings] == []
    assert tally.inputs > len(tally.outcomes) > 1


def test_a_finding_is_a_finding():
    """The harness sees what it is to see: other errors, words that lack, and what takes too long."""
    tally = harness.Tally()

    def wrong(rng):
        raise [KeyError, ArgumentError][rng.randrange(2)]("")

    kind = harness.Target("wrong", wrong, (ArgumentError,), 1)
    with harness.guarded():
        for number in range(20):
            harness.once(kind, number, tally)
    assert {finding.error for finding in tally.findings} == {"KeyError: ''", "ArgumentError without a word"}
    assert len(tally.findings) == tally.inputs == 20
