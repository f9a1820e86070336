"""Pictures of policies: what stands in them."""

import re

import numpy as np
import pytest

from solver import cfr, duel, kuhn, leduc, plots, policy, policy_plots
from solver.errors import ArgumentError, PolicyError

pytest.importorskip("matplotlib")


@pytest.fixture
def letters(monkeypatch):
    """Letters stay letters in an SVG, so that a test can read them."""
    monkeypatch.setattr(plots, "STYLE", {**plots.STYLE, "svg.fonttype": "none"})


def words(path):
    return [word.strip() for word in re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text())]


def test_the_tree_of_kuhn(letters, tmp_path):
    """Each place has the seat, the cards and how often each of them bets."""
    game = kuhn.Game()
    table = cfr.solve(game, "pdcfr+", iterations=400).policy
    path = tmp_path / "kuhn.svg"
    policy_plots.draw(table, path)
    found = words(path)
    assert sum(word.startswith("seat 0") for word in found) == 2
    assert sum(word.startswith("seat 1") for word in found) == 2
    assert (found.count("pass"), found.count("bet")) == (4, 4)
    for text in ("0", "1", "2", "0p", "1p", "2p", "0b", "1b", "2b", "0pb", "1pb", "2pb"):
        assert f"{100 * table.action_probabilities(text)[1]:.0f}" in found


def test_kuhn_with_more_players(letters, tmp_path):
    path = tmp_path / "kuhn.svg"
    policy_plots.draw(policy.uniform(kuhn.Game(players=3)), path)
    found = words(path)
    assert found.count("50") == 12 * 4  # places, cards
    assert found.count("bet") == 12
    with pytest.raises(ArgumentError, match="up to 3 players, not for 4"):
        policy_plots.draw(policy.uniform(kuhn.Game(players=4)), path)


def test_the_duel(letters, tmp_path):
    """A policy, its table and its profile give one picture; one without a row has none."""
    judged = duel.solve(10, 13, iterations=300).policy
    paths = [tmp_path / f"{name}.svg" for name in ("policy", "table", "profile")]
    table = judged.to_table(reached=True)
    for path, given in zip(paths, (judged, table, duel.profile(judged)), strict=True):
        policy_plots.draw_duel(given, path)
    assert paths[0].read_bytes() == paths[2].read_bytes()
    found = words(paths[1])
    assert {"Opening", "Answering", "own sum", "10", "13", "15"} <= set(found)
    with pytest.raises(PolicyError):
        policy_plots.draw(table.filter(lambda row: row.text != "s3"), paths[0])


def test_what_hardly_happens_is_white(monkeypatch, tmp_path):
    shown = []
    monkeypatch.setattr(plots, "heatmap", lambda _axes, values, **_: shown.append(values))
    # whoever opens with 10 is always doubted, so no raise is ever answered
    game = duel.Game(10, 12)
    array = np.zeros_like(duel.DuelPolicy.uniform(game, "float64").array)
    for bids, start, actions in duel.DuelPolicy.uniform(game).blocks():
        array[start + (len(actions) - 1 if bids else 0)] = 1
    policy_plots.draw_duel(duel.DuelPolicy(game, array), tmp_path / "duel.svg")
    opening, answering = shown
    assert opening.tolist() == [[100, 0, 0]] * 16
    assert (answering[:, 0] == 100).all()
    assert np.isnan(answering[:, 1:]).all()


def test_games_without_a_picture(tmp_path):
    for table in (policy.uniform(leduc.Game()), policy.PolicyTable.from_mapping({})):
        with pytest.raises(ArgumentError, match="there are pictures for duel and kuhn"):
            policy_plots.draw(table, tmp_path / "none.svg")
    assert list(tmp_path.iterdir()) == []
