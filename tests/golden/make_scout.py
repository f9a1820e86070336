"""Writes scout_2.txt to scout_5.txt, one readable game each: `python -m tests.golden.make_scout`.

A change of the rules, of the text or of the random stream shows as a difference of these files, to be read before
they are written anew.
"""

from pathlib import Path

from solver import scout
from solver._core import Rng

FOLDER = Path(__file__).parent
# players -> options of the game, seed of deal and play
GAMES = {
    2: ({"rounds": "match"}, 4),
    3: ({"ends_on_emptying_scout": False}, 3),
    4: ({}, 13),
    5: ({"payoff": "margin", "insertions_public": True}, 2),
}


def path(players: int) -> Path:
    """The file of a number of players."""
    return FOLDER / f"scout_{players}.txt"


def choose(state: scout.State, rng: Rng) -> int:
    """Mostly a Show of as many cards as can be, else any action, so that the game is short and has all kinds."""
    actions = state.legal_actions()
    decoded = {action: state.game.decode(action) for action in actions}
    shows = [action for action in actions if decoded[action][0] == "show"]
    if not shows or rng.below(5) == 0:
        return rng.choice(actions)
    longest = max(decoded[action][2] for action in shows)
    return rng.choice([action for action in shows if decoded[action][2] == longest])


def text(players: int) -> str:
    """The playthrough: deal, each decision with what its player knows, results, and what each seat saw."""
    options, seed = GAMES[players]
    game = scout.Game(players=players, **options)
    state = game.deal(seed=seed)
    rng = Rng(seed)
    lines = [f"{game}, seed {seed}, {game.num_distinct_actions()} action ids"]
    step, finished = 0, -1
    while not state.is_terminal():
        if len(state.round_results()) > finished:
            finished = len(state.round_results())
            lines += ["", f"round {finished + 1}, seat {state.starter} starts"]
        step += 1
        mover = state.current_player()
        actions = state.legal_actions()
        action = choose(state, rng)
        lines.append(f"{step}. {state.position(mover)}")
        kinds = [game.decode(a)[0].replace("_", " ").replace("and", "&") for a in actions]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        words = state.action_to_string(mover, action)
        lines.append(f"   {len(actions)} legal ({counts}); seat {mover}: {words} [{action}]")
        state.apply_action(action)
        for result in state.round_results()[finished:]:
            exempt = "nobody exempt" if result.exempt is None else f"seat {result.exempt} exempt"
            lines.append(f"end of round: {result.reason}, {exempt}, scores {' '.join(map(str, result.scores))}")
    lines += ["", f"returns {' '.join(map(str, state.returns()))}", ""]
    lines += [state.information_state_string(seat) for seat in range(players)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for number in GAMES:
        path(number).write_text(text(number), encoding="utf-8", newline="\n")
