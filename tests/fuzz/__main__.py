"""`python -m tests.fuzz`: many inputs of every kind; findings with what makes them again. `make fuzz` runs it."""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import time
from contextlib import suppress

from rich.console import Console
from rich.table import Table

from tests.fuzz import harness, targets
from tests.fuzz.harness import TARGETS, Tally


def main() -> int:
    """Run; the number of findings, 1 at most."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, help="how many (default: as many as there is time for)")
    parser.add_argument("--seconds", type=float, help="how long (default: 60, or as long as --inputs take)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first input of each kind")
    parser.add_argument("--only", choices=sorted(TARGETS), nargs="+", help="these kinds")
    parser.add_argument("--one", type=int, help="input of this number alone, with its error")
    given = parser.parse_args()
    out = Console(highlight=False)
    kinds = [TARGETS[name] for name in given.only or sorted(TARGETS)]
    if given.one is not None:
        for kind in kinds:
            tally = Tally()
            with harness.guarded():
                harness.once(kind, given.one, tally)
            out.print(f"{kind.name} {given.one}: {dict(tally.outcomes)}", markup=False)
            for finding in tally.findings:
                out.print(finding.trace, markup=False)
        return 0
    if given.inputs is None and given.seconds is None:
        given.seconds = 60.0
    tallies = {kind.name: Tally() for kind in kinds}
    began = time.monotonic()
    whole = sum(kind.share for kind in kinds)
    done = 0
    warm = 0
    targets.warm_up()
    # Ctrl-C ends it, and what was found is printed
    with suppress(KeyboardInterrupt), harness.guarded():
        while (given.inputs is None or done < given.inputs) and (
            given.seconds is None or time.monotonic() - began < given.seconds
        ):
            # whichever kind is furthest behind its share
            kind = min(kinds, key=lambda k: tallies[k.name].inputs / k.share)
            # what hangs where no signal is looked at ends the process, and says where
            faulthandler.dump_traceback_later(20 * harness.LONGEST, exit=True)
            harness.once(kind, given.first + tallies[kind.name].inputs, tallies[kind.name])
            done += 1
            if done == 5000:
                warm = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    faulthandler.cancel_dump_traceback_later()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, justify in (("kind", "left"), ("inputs", "right"), ("a second", "right"), ("slowest", "right")):
        table.add_column(name, justify=justify)
    table.add_column("what came of it")
    for name, tally in tallies.items():
        outcomes = ", ".join(f"{what} {count:,}" for what, count in tally.outcomes.most_common())
        rate = f"{tally.inputs / max(tally.seconds, 1e-9):,.0f}"
        table.add_row(name, f"{tally.inputs:,}", rate, f"{tally.slowest:.2f} s", outcomes)
    out.print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    out.print(
        f"{done:,} inputs in {time.monotonic() - began:,.0f} s; shares add up to {whole:g}; "
        f"peak memory {peak // 1024} MB, after the first 5,000 inputs {warm // 1024} MB"
    )
    findings = [finding for tally in tallies.values() for finding in tally.findings]
    shown: dict[str, int] = {}
    for finding in findings:
        place = finding.trace.strip().splitlines()
        key = "\n".join(place[-4:-1])
        shown[key] = shown.get(key, 0) + 1
        if shown[key] == 1 and len(shown) <= 40:
            out.print(f"\n--only {finding.target} --one {finding.number}: {finding.error}", markup=False, style="bold")
            out.print("\n".join(place[-8:]), markup=False)
    out.print(f"\n{len(findings)} findings, {len(shown)} of different kinds")
    return min(1, len(findings))


if __name__ == "__main__":
    sys.exit(main())
