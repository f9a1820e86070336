"""Writes rng.csv, the golden random streams, from the readable twin: `python -m tests.golden.make_rng`."""

from pathlib import Path

from tests.reference.kernels import Xoshiro

FILE = Path(__file__).with_name("rng.csv")
SEEDS = (0, 1, 7, 2**32 - 1, 2**64, 314159265358979323846264338327950288419)
LENGTH = 16


def text() -> str:
    """The whole file: seed, index in the stream, 64-bit value."""
    lines = ["seed,index,value"]
    for seed in SEEDS:
        stream = Xoshiro.seeded(seed)
        lines += [f"{seed},{index},{stream.next_u64()}" for index in range(LENGTH)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8", newline="\n")
