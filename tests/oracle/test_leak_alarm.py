"""A search that scores as if it saw the hidden cards sees them: the line that an honest one does not reach.

With three players a search that is shown the true hands gains about 9 points a round on planning, an honest one
about 2 to 3, whatever its budget (docs/search-notes.md).
"""

from dataclasses import dataclass
from typing import ClassVar

from solver import agents, arena, ismcts
from tests.planted import Seen

ALARM = 6.0  # points a round
GAME = "scout(players=3)"


@dataclass(frozen=True)
class Cheat:
    """Searches the true deal, which it takes from where it must not look."""

    name: str = "cheat"
    information_states: ClassVar[bool] = True

    def act(self, view, rng):
        if len(view.legal_actions()) == 1:
            return view.legal_actions()[0]
        options = view._state.position(view.player).search_defaults()
        del options["belief"]
        return ismcts.search(Seen(view._state), iterations=48, seed=rng, payoff="margin", **options).best


def margin(agent, deals):
    """Its mean margin against planning, and the standard error."""
    row = arena.play(GAME, [agent], deals, seed=4, against=[agents.Planning()])[0]
    return row.mean, row.stderr


def test_a_search_that_sees_hidden_cards_rings():
    mean, stderr = margin(Cheat(), 30)
    assert mean - stderr > ALARM


def test_the_search_does_not_ring():
    mean, stderr = margin(agents.make("ismcts:500"), 60)
    assert mean + 2 * stderr < ALARM
    assert mean > 2 * stderr
