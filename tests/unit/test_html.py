"""What a notebook shows: well-formed, nothing from outside, texts escaped, nothing hidden, both numbers of a card."""

import re
from html.parser import HTMLParser

import pytest

from solver import Rng, _html, bakerstreet, games, ismcts, kuhn, online, policy, scout

VOID = {"br", "hr", "img", "meta", "link", "input"}


class Page(HTMLParser):
    """Reads HTML: its tags must match and none may load or run anything."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in {"div", "svg", "text", "rect", "line", "table", "thead", "tbody", "tr", "th", "td", "b", "span"}
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in {"src", "href"}
            assert "url(" not in value
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def check_room(self):
        """Everything lies within the picture."""
        width, height = (float(self.tags[1][1][name]) for name in ("width", "height"))
        for tag, attrs in self.tags[2:]:
            if tag in ("rect", "text"):
                x, y = float(attrs["x"]), float(attrs["y"])
                assert 0 <= x <= x + float(attrs.get("width", 0)) <= width
                assert 0 <= y <= y + float(attrs.get("height", 0)) <= height


def positions(name, deals=6):
    """Positions along planning play, of every seat."""
    game = games.load(name)
    rng = Rng(1)
    for seed in range(deals):
        state = game.deal(seed=seed)
        while not state.is_terminal():
            yield from ((state, state.position(seat)) for seat in range(game.num_players()))
            state.apply_action(state.position(state.current_player()).planning_action(rng))


@pytest.mark.parametrize(
    "name", ["scout(players=5)", "scout(players=2,rounds=2)", "scout(players=3,ranks=4)", "bakerstreet"]
)
def test_every_position_is_drawn(name):
    for at, (_, position) in enumerate(positions(name)):
        if at % 7 == 0:
            page = Page(position._repr_html_())
            page.check_room()
            assert page.words[0] == str(position.game)
            # the words of a text do not run into each other
            assert all(word.strip() for word in page.words)


def test_cards_of_scout_have_both_numbers():
    position = scout.parse("scout(players=3) | hand 4/1 4/3 9/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    words = Page(position._repr_html_()).words
    at = words.index("table")
    assert words[at : at + 3] == ["table", "2", "8"]
    at = words.index("hand")
    assert words[at + 1 : at + 10] == ["4", "1", "0", "4", "3", "1", "9", "8", "2"]
    assert "of seat 2" in words
    assert "11 cards · 0 chips · 4 score cards · Scout & Show left" in words
    backs = Page(position._repr_html_()).tags
    assert sum(attrs.get("fill") == _html.BLUE for _, attrs in backs) == 3


@pytest.mark.parametrize("name", ["scout(players=3)", "bakerstreet"])
def test_nothing_hidden_is_shown(name):
    """Another deal that a seat cannot tell from the first is drawn the same, for the same position in one line."""
    told = 0
    for at, (state, position) in enumerate(positions(name, 2)):
        if at % 11 == 0 and position.current_player() == position.player:
            other = position.sample(seed=at)
            rival = 1 - position.player if name == "bakerstreet" else (position.player + 1) % 3
            told += other.hand(rival) != state.hand(rival)
            assert other.position(position.player)._repr_html_() == position._repr_html_()
            assert games.parse(str(position))._repr_html_() == position._repr_html_()
    assert told > 2


def test_a_position_of_baker_street_has_piles_letters_and_signs():
    line = (
        "bakerstreet | starter 1 | phase bid | hand 0 3 0s | discards0 3 4 4 5 2s 2a | discards1 0 2 2 3 2x 1a | "
        "stack1 0:2x | stack2 1:2a 0:3 1:3 0:4 1:5 0:5 1:3 0:1s 1:0x 0:2 1:5 0:5 | bids 4 5 6 | rounds 2 | "
        "log 0@0:G 0@1:H | look0 AKKMRST | look1 CCDIJQT"
    )
    position = bakerstreet.parse(line)
    words = Page(position._repr_html_()).words
    assert words[:5] == [
        "bakerstreet",
        "round 3, you are seat 0, you are to bid",
        "bids 4 5 6",
        "your letters GH",
        "rival's letters 0",
    ]
    assert words[5:9] == ["pile 0", "AKKMRST", "no card", "pile 1"]
    assert words[words.index("pile 1") + 1 :][:3] == ["CCDIJQT", "2", "×2"]
    assert "and 3 below" in words
    assert words[words.index("hand") + 1 :][:4] == ["0", "3", "0", "stop"]
    assert words[-1] == f"{position.rival_cards} hidden"


def test_letters_of_the_rival_are_told_as_far_as_they_are_known():
    told = set()
    for _, position in positions("bakerstreet", 12):
        wins = [letters for seat, _, letters in position.log if seat != position.player and letters]
        known = [letters if len(letters) == 1 else f"one of {letters}" for letters in wins if letters not in ("?", "-")]
        if len(wins) > 1 and str(wins) not in told:
            told.add(str(wins))
            line = f"rival's letters {len(wins)}" + (f": {', '.join(known)}" if known else "")
            assert line in Page(position._repr_html_()).words
    assert any(re.search("'[A-Z]'", wins) for wins in told)
    assert any("-" in wins for wins in told)


def test_a_search_is_bars():
    position = scout.parse("scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    result = ismcts.search(position, iterations=400, seed=1)
    page = Page(result._repr_html_())
    page.check_room()
    assert page.words[:4] == ["best: show 4-4-4", "visits", "value", "show 4-4-4"]
    words, visits, value, stderr = result.rows()[0]
    assert page.words[3:6] == [words, f"{visits:,}", f"{value:+.3f} ± {stderr:.3f}"]
    blue = [float(attrs["width"]) for _, attrs in page.tags if attrs.get("fill") == _html.BLUE]
    assert blue[0] == pytest.approx(130 * visits / 400, abs=1e-3)
    assert blue == sorted(blue, reverse=True)
    assert f"and {len(result.actions) - 12} more actions" in page.words


def test_a_search_for_an_equilibrium_is_bars():
    state = kuhn.Game().new_initial_state().child(2).child(0)
    for method in ("oos", "uct"):
        result = online.search(state, iterations=300, seed=1, method=method)
        page = Page(result._repr_html_())
        page.check_room()
        assert page.words[1] == "probability"
        assert f"{max(result.probabilities.values()):.4f}" in page.words
        assert ("value" in page.words) == (method == "uct")


def test_a_policy_is_a_table():
    page = Page(policy.uniform(kuhn.Game())._repr_html_())
    assert page.words[0] == "PolicyTable of kuhn: 12 information states, 24 actions"
    assert "game kuhn" in page.words[1]
    assert len([tag for tag, _ in page.tags if tag == "tr"]) == 1 + 8
    assert page.words.count("0: 0.500 ") == 8
    Page(policy.PolicyTable.build([], [], [0], [], [])._repr_html_())
    many = policy.PolicyTable.build(["x"], [0], [0, 9], range(9), [0.1] * 8 + [0.2], keep_text=False)
    assert "8: 0.200 " in Page(many._repr_html_()).words
    assert "and 3 more" in Page(many._repr_html_()).words


def test_texts_are_escaped():
    evil = "</text><script>alert('1')</script>&\""
    table = policy.PolicyTable.build([evil], [0], [0, 1], [0], [1.0], meta={"game": evil})
    text = table._repr_html_()
    assert "<script" not in text
    assert evil in Page(text).words
    shown = _html.bars(evil, [(evil, 0.5, evil, 1.0, 0.1)], (evil, evil), [evil], evil)
    assert "<script" not in shown
    assert evil in Page(shown).words
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", shown)
