"""The golden games, made again in memory, equal the files that stand beside."""

import csv
from itertools import pairwise

import pytest

from solver import scout
from tests.golden import make_digests, make_scout, make_signature


@pytest.mark.parametrize("players", make_scout.GAMES)
def test_golden_game(players):
    """The same deal, legal actions, words, positions and results as when the file was last read by a person."""
    expected = make_scout.path(players).read_text(encoding="utf-8")
    assert make_scout.text(players).splitlines() == expected.splitlines()


@pytest.mark.parametrize("players", make_scout.GAMES)
def test_positions_in_golden_games_can_be_read(players):
    """Each position in the files parses to itself and has as many legal actions as the file says."""
    lines = make_scout.path(players).read_text(encoding="utf-8").splitlines()
    read = 0
    for line, after in pairwise(lines):
        _, dot, rest = line.partition(". ")
        if dot and rest.startswith("scout("):
            position = scout.parse(rest)
            assert str(position) == rest
            assert len(position.legal_actions()) == int(after.split()[0])
            read += 1
    assert read >= 10


def test_golden_games_show_every_kind_of_action():
    """The files together hold Shows, Scouts left and right, turned cards, Scout & Show, and two kinds of ending."""
    everything = "".join(make_scout.path(players).read_text(encoding="utf-8") for players in make_scout.GAMES)
    for words in (": show ", ": scout ", "(left)", "(right)", ", turned", ": scout & show ", ": keep ", ": turn "):
        assert words in everything
    for ending in ("empty_hand, nobody exempt", "scouted_out, seat "):
        assert ending in everything


def test_signature_of_search():
    """Nodes, best actions and visits on fixed positions are what they were: no change went further than meant."""
    assert make_signature.text(make_signature.rows()) == make_signature.FILE.read_text(encoding="utf-8")


def test_positions_of_the_signature():
    """They are those that the script deals and plays."""
    with make_signature.FILE.open(encoding="utf-8", newline="") as file:
        assert [row["position"] for row in csv.DictReader(file)] == make_signature.positions()


with make_digests.FILE.open(encoding="utf-8", newline="") as file:
    DIGESTS = {row["entry"]: row["digest"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("entry", make_digests.ENTRIES)
def test_what_a_seed_gives(entry):
    """The same on every Python and from every build."""
    assert make_digests.digest(entry) == DIGESTS[entry]


def test_digests_name_every_entry_once():
    assert list(DIGESTS) == list(make_digests.ENTRIES)
    assert len(set(DIGESTS.values())) == len(DIGESTS) - 2  # two threads give what one gives
