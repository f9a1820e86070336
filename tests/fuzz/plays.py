"""Actions, legal and not, on every game with any options; and every question a state or position may be asked."""

from __future__ import annotations

import copy
import random
from contextlib import suppress
from typing import Any

from solver import Rng, bakerstreet, games, ismcts, pimc, scout
from solver.errors import IllegalActionError, SolverError
from tests.fuzz import texts
from tests.fuzz.harness import target
from tests.fuzz.values import odd

SEATS = ("hand", "deck", "discards", "evidence", "stack", "pile", "position", "information_state_string", "look")


def a_game(rng: random.Random) -> Any:
    """A game with options drawn from all that it takes; one that cannot be dealt is none."""
    kind = rng.randrange(8)
    if kind < 2:
        return games.load(rng.choice(texts.GAMES))
    if kind == 2:
        return bakerstreet.Game(
            symbols=rng.choice((None, {(rng.randrange(6), rng.choice(("stop", "x2", "arrow"))): rng.randrange(6)})),
            next_starter=rng.choice(("doubt_loser", "doubt_winner", "alternate")),
            max_rounds=rng.choice((1, 2, 7, 200)),
        )
    options: dict[str, Any] = {"players": rng.randint(2, 5)}
    for name, values in (
        ("rounds", (1, 2, 3, "match", 40)),
        ("payoff", ("score", "margin", "win")),
        ("insertions_public", (True, False)),
        ("ends_on_emptying_scout", (True, False)),
        ("max_turns", (1, 2, 9, 60, 500)),
        ("ranks", (2, 3, 5, 8, 10, 11, 15)),
        ("hand_size", (None, 1, 2, 3, 8, 12, 30)),
        ("chips", (0, 1, 3, 7, 50)),
        ("drop", (None, [(1, 2)], [(2, 1), (3, 4)])),
    ):
        if rng.random() < 0.35:
            options[name] = rng.choice(values)
    return scout.Game(**options)


def seen(state: Any) -> tuple[Any, ...]:
    """All that an action could have changed."""
    seats = range(state.game.num_players()) if hasattr(state, "game") else range(2)
    player = state.current_player()
    strings = [state.information_state_string(seat) for seat in seats] if player >= 0 else []
    return player, state.is_terminal(), list(state.legal_actions()), list(state.chance_outcomes()), strings


@target(10)
def play(rng: random.Random) -> str:
    """What is not legal is refused by name and changes nothing; what is legal leads on to an end."""
    game = a_game(rng)
    state = game.deal(seed=rng.randrange(1 << 30)) if hasattr(game, "deal") and rng.random() < 0.5 else None
    state = state or game.new_initial_state()
    largest = game.num_distinct_actions()
    for _ in range(rng.randrange(60)):
        if rng.random() < 0.3:
            legal = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            action = rng.choice((rng.randrange(-2, largest + 2), odd(rng)))
            number = action if type(action) is int else None
            if number is None or number not in legal:
                before = seen(state)
                again = copy.copy(state)
                for door in (state.apply_action, state.child):
                    try:
                        door(action)
                    except IllegalActionError:
                        pass
                    else:
                        # whole numbers of other types are numbers
                        assert int(action) in legal
                        return "a number of another type"
                assert seen(state) == before == seen(again)
        if state.is_terminal():
            assert len(state.returns()) == game.num_players()
            break
        if state.is_chance_node():
            state.apply_action(rng.choices(*zip(*state.chance_outcomes(), strict=True))[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return "over" if state.is_terminal() else "played"


@target(10)
def ask(rng: random.Random) -> str:
    """States and positions are asked for seats, actions and stacks that there are not."""
    name = rng.choice(texts.GAMES)
    game = games.load(name)
    state = game.deal(seed=rng.randrange(1 << 30)) if hasattr(game, "deal") else game.new_initial_state()
    for _ in range(rng.randrange(30)):
        if state.is_terminal():
            break
        legal = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(legal))
    thing = state
    if hasattr(state, "position") and rng.random() < 0.6 and not state.is_terminal():
        thing = state.position(rng.randrange(game.num_players()))
    value = odd(rng)
    # numbers of a seat, a stack or an action that could be
    if rng.random() < 0.3:
        value = rng.randrange(-3, 300)
    methods = [
        m
        for m in (*SEATS, "action_to_string", "parse_action", "why_not", "observed_actions", "sample")
        if callable(getattr(thing, m, None))
    ]
    methods += [
        m
        for m in (
            "resample_from_infostate",
            "chance_text",
            "planning_action",
            "policy_action",
            "learnt_action",
            "learnt_scores",
            "search_root",
            "search_payoff",
            "sample_fallbacks",
            "pretty",
            "legal_actions",
        )
        if callable(getattr(thing, m, None))
    ]
    method = rng.choice(methods)
    call = getattr(thing, method)
    seat = rng.choice((rng.randrange(game.num_players()), odd(rng)))
    try:
        if method == "resample_from_infostate":
            call(seat, rng.choice((rng.random, odd(rng))))
        elif method == "action_to_string" and thing is state:
            call(seat, value)
        elif method == "sample_fallbacks":
            call(rng.choice((1, odd(rng, large=False))), value)
        elif method == "sample":
            call(*rng.choice(((value,), (1, value))))
        else:
            call(value)
    except TypeError as error:
        # not asked with as many arguments as it takes
        if "argument" not in str(error) or "takes" not in str(error):
            raise
    game_methods = [
        m
        for m in ("place", "bid", "choose_pile", "take", "decode", "show", "scout", "scout_and_show", "playouts")
        if callable(getattr(game, m, None))
    ]
    if game_methods and rng.random() < 0.5:
        name = rng.choice(game_methods)
        takes = {"place": 3, "show": 2, "scout": 3, "scout_and_show": 3, "playouts": 2}.get(name, 1)
        valid = [rng.randrange(3) for _ in range(takes)]
        valid[rng.randrange(takes)] = odd(rng, large=name != "playouts")
        with suppress(SolverError):
            getattr(game, name)(*valid)
    return method


@target(3)
def search(rng: random.Random) -> str:
    """Searches with options of every kind from positions of every kind."""
    position, _ = rng.choice(texts.actions())
    options: dict[str, Any] = {}
    for name, values in (
        ("rollout", ("random", "policy")),
        ("opponents", ("tree", "policy")),
        ("root", ("ucb", "halving")),
        ("payoff", ("score", "margin", "win")),
        ("belief", ("uniform", "worth", "play", lambda *_: [1.0] * 20, lambda *_: odd(rng))),
        ("horizon", (-1, 0, 1, 3, (1 << 31) - 1)),
        ("widening", (0, 1, 5, (1 << 31) - 100)),
        ("depth", (0, 1, 2)),
        ("exploration", (0, 0.0, 0.7, 1e300, 1e-300)),
        ("max_nodes", (2, 3, 10, 1000)),
        ("threads", (1, 2)),
        ("seed", (0, 1, [1, 2], Rng(3), None)),
    ):
        if rng.random() < 0.3:
            options[name] = rng.choice(values)
    if options and rng.random() < 0.5:
        options[rng.choice(sorted(options))] = odd(rng, large=False)
    if rng.random() < 0.2:
        taken = {name: value for name, value in options.items() if name in (*pimc.OPTIONS, "seed")}
        found = pimc.search(position, rng.choice((1, 2, 3)), iterations=rng.choice((1, 7)), **taken)
        assert found.best in position.legal_actions()
        return "averaged"
    result = ismcts.search(position, rng.choice((1, 2, 3, 30, odd(rng, large=False))), seconds=0.02, **options)
    assert result.best in position.legal_actions()
    str(result), result.to_json()
    if rng.random() < 0.2:
        str(result.explanation(rng.choice((1, 3, odd(rng, large=False)))))
    return "searched"
