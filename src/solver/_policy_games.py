"""What a policy has to do with its game: the name in its `meta`, and the information states."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from solver import games
from solver._core import whole
from solver._protocol_checks import listed, names_nonsense
from solver.errors import ArgumentError, PolicyError, PositionError
from solver.games import notation
from solver.protocol import offers


def turn_based(game: Any) -> Any:
    """The game itself; a simultaneous-move game of OpenSpiel as its turn-based conversion."""
    if not hasattr(game, "get_type") or not str(getattr(game.get_type(), "dynamics", "")).endswith("SIMULTANEOUS"):
        return game
    return importlib.import_module("pyspiel").convert_to_turn_based(game)


def describe(game: Any) -> dict[str, Any]:
    """The entries of `PolicyTable.meta` that name a game: ``game`` and ``rules``, the version of its rules or None."""
    name = str(game)
    if name == object.__repr__(game):  # it has an address in it
        if not offers(game, "get_parameters"):
            raise ArgumentError(f"a game has __str__ or get_parameters(), which {type(game).__qualname__} has not")
        options = game.get_parameters()
        name = notation.format_game(f"{type(game).__module__}.{type(game).__qualname__}", options)
    return {"game": name, "rules": getattr(game, "rules_version", None)}


def check_game(meta: Mapping[str, Any], game: Any, where: str) -> None:
    """Refuse a table of another game or other rules."""
    wanted: dict[str, Any] | None = None
    if isinstance(game, str):
        try:
            name, _, _ = notation.read_game(game)
        except PositionError:
            name = ""  # another library's game string
        if name in games.NAMES:
            wanted = describe(games.load(game))
    else:
        wanted = describe(game)
    known = meta.get("game")
    asked = game.strip() if wanted is None else wanted["game"]
    if known is None or str(known).removesuffix("()") != asked.removesuffix("()"):
        raise PolicyError(f"{where} is a policy of {known or 'no game that it names'}, not of {asked}")
    if wanted is not None and meta.get("rules") != wanted["rules"]:
        raise PolicyError(
            f"{where} is a policy of {known} with rules {meta.get('rules')}, and this game has rules {wanted['rules']}"
        )


@names_nonsense
def information_states(game: Any, max_states: int) -> dict[tuple[str, int], tuple[int, ...]]:
    """The legal actions at each information state of a game, with its player."""
    most: int | None = whole(max_states)
    if most is None or most < 1:
        raise ArgumentError(f"max_states is a whole number of at least 1, not {max_states!r}")
    if not hasattr(game, "new_initial_state"):
        raise ArgumentError(f"a game is needed, not {game!r}")
    game = turn_based(game)
    found: dict[tuple[str, int], tuple[int, ...]] = {}
    # Children are made one by one: a chance node may have more outcomes than fit into memory.
    pending: list[Iterator[Any]] = [iter((game.new_initial_state(),))]
    count = 0
    while pending:
        state = next(pending[-1], None)
        if state is None:
            pending.pop()
            continue
        count += 1
        if count > most:
            raise PolicyError(f"{game} has more than {most} states; a larger max_states walks more")
        if state.is_terminal():
            continue
        actions: Iterable[int]
        if state.is_chance_node():
            outcomes = listed(state.chance_outcomes(), "outcomes")
            actions = [outcome for outcome, probability in outcomes if probability > 0]
        else:
            player = state.current_player()
            if player < 0:
                raise PolicyError(f"{game} lets several players decide at once (seat {player}): not supported")
            actions = legal = tuple(sorted(int(action) for action in listed(state.legal_actions(), "legal actions")))
            text = state.information_state_string(player)
            if found.setdefault((text, player), legal) != legal:
                raise PolicyError(f"{text!r}: legal actions {list(legal)}, elsewhere {list(found[text, player])}")
        pending.append(map(state.child, actions))
    return found
