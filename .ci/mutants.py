"""Mutation testing of the kernels and the rules: whether a test sees each small fault.

    python .ci/mutants.py [--count 60] [--seed 1] [--jobs 1] [NAME ...]          from `make mutants`

A mutant is the code with one fault put in: a comparison off by one, a plus for a minus, an or for a mask, a literal one
too large, a statement left out. All mutants of a run are compiled into one build, each behind a condition on the
environment variable SOLVER_MUTANT, so that there is one build and a mutant costs no more than its tests. The tests of
its file run until one fails (killed), or none does (survived). docs/mutants.md tells of those that survive and why
they may. A mutant is named `file:line:column:kind`; names on the command line are run instead of a sample.
"""

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "mutants"
TIMEOUT = 60  # seconds for one test; a mutant that loops for ever is killed by it
LONGEST = 1800  # seconds for all
MEMORY = 8 << 30  # bytes of address space; or by this

# a minute of statistics, where the golden samples tell the same
SLOW = "tests/property/test_bakerstreet_positions.py::test_frequencies_of_letters_by_a_belief"
GOLDEN = ["tests/golden"]
COMPARED = ("2 players, four rounds", "3 players", "4 players, open", "5 players, match", "3 players, play on")
SCOUT = [
    "tests/unit/test_rule_faults.py",
    "tests/unit/test_out_of_turn.py",
    "tests/unit/test_survivors.py",
    "tests/oracle/test_scout_walk.py",
    "tests/property/test_sampling.py",
    "tests/oracle/test_scout_play.py",
    "tests/oracle/test_playouts.py",
    "tests/property/test_state_machine.py",
    "tests/unit/test_notation.py",
]
SCOUT_RULES = [
    *(f"tests/oracle/test_scout_rules.py::test_compiled_game_equals_reference[{name}]" for name in COMPARED),
    "tests/oracle/test_scout_rules.py::test_small_variants_equal_reference",
]
BAKER = [
    "tests/unit/test_bakerstreet_cases.py",
    "tests/unit/test_out_of_turn.py",
    "tests/unit/test_survivors.py",
    "tests/oracle/test_bakerstreet_rules.py",
    "tests/oracle/test_bakerstreet_play.py",
    "tests/unit/test_notation.py",
    "tests/property/test_bakerstreet_positions.py",
]
SETS = ["tests/unit/test_rng.py", "tests/property/test_sets.py"]
KERNELS = [*SETS, *SCOUT, *BAKER[:-1]]
# What holds a file to its word, after the golden tests; the quick tests first.
TESTS = {
    "_core.pxd": KERNELS,
    "_core.pyx": KERNELS,
    "_bits.h": KERNELS,
    "games/_scout.pyx": [*SCOUT, *SCOUT_RULES],
    "games/_scout_rows.pxd": [*SCOUT, *SETS, *SCOUT_RULES],
    "games/_scout_options.pyx": [*SCOUT, *SCOUT_RULES],
    "games/_scout_policy.pyx": [*SCOUT, *SCOUT_RULES],
    "games/_scout_learnt.pyx": ["tests/oracle/test_scout_learnt.py"],
    "games/_scout_lessons.pyx": ["tests/oracle/test_scout_learnt.py", "tests/oracle/test_scout_play.py"],
    "games/_scout_ahead.h": ["tests/oracle/test_scout_learnt.py"],
    "games/_scout_net.h": ["tests/oracle/test_scout_learnt.py"],
    "games/_scout_search.pyx": [*SCOUT, *SCOUT_RULES],
    "games/_scout_walk.pyx": SCOUT[:4],
    "games/scout.pyx": [*SCOUT, *SCOUT_RULES],
    "games/_bakerstreet.pyx": BAKER,
    "games/_bakerstreet.pxd": BAKER,
    "games/_bakerstreet_policy.pyx": BAKER,
    "games/bakerstreet.pyx": BAKER,
    "_ismcts.pyx": [
        "tests/unit/test_survivors.py",
        "tests/unit/test_search.py",
        "tests/unit/test_pimc.py",
        "tests/unit/test_agents.py",
    ],
}

HEADER = """#ifndef SOLVER_MUTANT_H
#define SOLVER_MUTANT_H
#include <stdlib.h>
static int solver_mutant;
static void __attribute__((constructor)) solver_choose_mutant(void)
{
    const char *given = getenv("SOLVER_MUTANT");
    solver_mutant = given ? atoi(given) : -1;
}
#endif
"""
TOKEN = re.compile(
    r"""(?P<text>\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<number>0[xX][0-9a-fA-F]+\w*|\d+\.\d*(?:[eE][-+]?\d+)?|\d+\w*)|(?P<name>[^\W\d]\w*)"""
    r"""|(?P<op><<=|>>=|<=|>=|==|!=|<<|>>|&&|\|\||->|\+\+|--|\*\*|//|[-+*/%&|^]=|[-+*/%&|^~<>=!.,:;()\[\]{}?@])"""
    r"""|(?P<newline>\n)|(?P<space>[ \t]+|\\\n)""",
    re.DOTALL,
)
COMMENTS = {".h": re.compile(r"/\*.*?\*/|//[^\n]*|^#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)}
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "&": "|", "|": "&"}
SWAPS |= {
    "<<": ">>",
    ">>": "<<",
    "and": "or",
    "or": "and",
    "&&": "||",
    "||": "&&",
    "+=": "-=",
    "-=": "+=",
    "not": "not not",
}
ENDS = {
    ",",
    "=",
    ":",
    ";",
    "?",
    "{",
    "}",
    "return",
    "if",
    "elif",
    "while",
    "in",
    "is",
    "else",
    "for",
    "lambda",
    "yield",
}
ENDS |= {"+=", "-=", "*=", "/=", "&=", "|=", "^=", "<<=", ">>=", "//", "raise", "import"}
ENDS -= {"//"}
LOGIC = {"and", "or", "not", "&&", "||"}
SKIPPED = {"import", "from", "cimport", "class", "def", "cpdef", "ctypedef", "DEF", "include", "@", "raise", "assert"}
SKIPPED |= {
    "static",
    "typedef",
    "struct",
    "extern",
    "const",
    "except",
    "try",
    "finally",
    "with",
    "global",
    "del",
    "ensure",
    "SOLVER_ENSURE",
}
BLOCKS = re.compile(r"(cdef|ctypedef)\s+(enum|extern|struct|packed|public|union|fused)\b|cdef\s*:")
KEYWORDS = ENDS | LOGIC | SKIPPED | {"cdef", "pass", "break", "continue", "True", "False", "None", "NULL", "nogil"}


class Token(NamedTuple):
    """A word of the source, where it stands."""

    kind: str
    text: str
    start: int
    end: int
    depth: int


class Mutant(NamedTuple):
    """A fault: what stands at `start` to `end` of a file, and what stands there instead."""

    file: str
    name: str
    start: int
    end: int
    instead: str
    whole: bool  # a statement that is left out


def tokens(text: str, suffix: str) -> list[Token]:
    """The words of a source file."""
    comment = COMMENTS.get(suffix) or re.compile(r"#[^\n]*")
    result, at, depth = [], 0, 0
    while at < len(text):
        found = comment.match(text, at)
        if found:
            at = found.end()
            continue
        found = TOKEN.match(text, at)
        if not found:
            at += 1
            continue
        kind, word = found.lastgroup or "", found.group()
        at = found.end()
        depth -= word in (")", "]") and kind == "op"
        if kind == "newline" and suffix != ".h" and depth == 0:
            result.append(Token("end", word, found.start(), at, 0))
        elif kind not in ("newline", "space"):
            result.append(Token(kind, word, found.start(), at, depth))
        if suffix == ".h" and kind == "op" and word in ";{}" and depth == 0:
            result.append(Token("end", "", at, at, 0))
        depth += word in ("(", "[") and kind == "op"
    return [*result, Token("end", "", at, at, 0)]


def statements(words: list[Token]) -> list[list[Token]]:
    """Words of one statement each."""
    result: list[list[Token]] = [[]]
    for word in words:
        if word.kind == "end":
            result.append([])
        else:
            result[-1].append(word)
    return [statement for statement in result if statement]


def operand(word: Token) -> bool:
    """Whether a value may end with a word."""
    if word.text in (")", "]"):
        return True
    return word.kind in ("number", "name", "text") and word.text not in KEYWORDS - {"True", "False", "None", "NULL"}


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Every mutant of a file."""
    suffix = Path(file).suffix
    result: list[Mutant] = []
    skip_below = -1
    nested = conditional(text) if suffix == ".h" else []
    table = False
    for words in statements(tokens(text, suffix)):
        first = words[0]
        inside, table = table, suffix == ".h" and [word.text for word in words[-2:]] == ["=", "{"]
        if inside:
            continue
        indent = first.start - text.rfind("\n", 0, first.start) - 1
        if skip_below >= 0 and indent > skip_below:
            continue
        skip_below = -1
        head = text[first.start : words[-1].end]
        if suffix != ".h" and BLOCKS.match(head):
            skip_below = indent
            continue
        if first.text in SKIPPED or (suffix != ".h" and first.text == "cdef" and words[-1].text == ":"):
            continue
        if first.kind == "text" or any(low <= first.start < high for low, high in nested):
            continue
        if suffix == ".pxd" and indent == 0:
            continue
        result += in_statement(file, text, words)
    return result


def conditional(text: str) -> list[tuple[int, int]]:
    """Parts of a header that stand in an #if within its guard: other compilers' code."""
    result, opened = [], []
    for found in re.finditer(r"^#\s*(if|endif)", text, re.MULTILINE):
        if found[1] == "if":
            opened.append(found.start())
        else:
            start = opened.pop()
            if opened:
                result.append((start, found.end()))
    return result


def in_statement(file: str, text: str, words: list[Token]) -> list[Mutant]:
    """Mutants of one statement."""
    result = []
    suffix = Path(file).suffix
    declared = words[0].text == "cdef"
    range_open = [i for i, word in enumerate(words) if words[0].text == "for" and word.text == "range"]

    def add(i: int, kind: str, instead: str, span: tuple[int, int], whole: bool = False) -> None:
        start, end = span
        line = text.count("\n", 0, words[i].start) + 1
        column = words[i].start - text.rfind("\n", 0, words[i].start)
        name = f"{file}:{line}:{column}:{kind}"
        result.append(Mutant(file, name, start, end, instead, whole))

    cast = False
    for i, word in enumerate(words):
        before = words[i - 1] if i else None
        if word.text == "<" and not (before and operand(before)):
            cast = True
        if cast:
            cast = word.text != ">"
            continue
        if declared and not after_equals(words, i):
            continue
        if enclosing(words, i) in ("sizeof", "malloc", "calloc", "memcpy", "memset"):
            continue
        if range_open and commas(words, range_open[0] + 1, i) >= 2:
            continue
        low, high = span_of(words, i, word.text in LOGIC - {"not"})
        start, end = words[low].start, words[high].end
        part = text[start : word.start], text[word.end : end]
        if word.kind == "number" and re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", word.text):
            more = word.text + " + 1"
            add(i, "literal", f"{part[0]}({more}){part[1]}", (start, end))
        elif word.text in ("+=", "-=") and word.depth == 0 and suffix != ".h":
            add(
                i,
                word.text,
                f"{text[words[0].start : word.start]}{SWAPS[word.text]}{part_after(text, words, i)}",
                (words[0].start, words[-1].end),
                True,
            )
        elif word.text in SWAPS and (word.kind == "op" or word.text in LOGIC):
            if word.text in ("+", "-", "&", "<", ">") and not (before and operand(before)):
                continue
            if word.text == "not" and before and before.text == "is":
                continue
            if word.text == "not" and i + 1 < len(words) and words[i + 1].text == "in":
                continue
            if word.text in ("+=", "-="):
                continue
            add(i, word.text, f"{part[0]}{SWAPS[word.text]}{part[1]}", (start, end))
    plain = words[0].kind == "name" and words[0].text not in KEYWORDS and suffix != ".h"
    if plain and not any(word.text == ":" and word.depth == 0 for word in words):
        line_start = text.rfind("\n", 0, words[0].start) + 1
        if not text[line_start : words[0].start].strip():
            add(0, "drop", "", (words[0].start, words[-1].end), True)
    return result


def part_after(text: str, words: list[Token], i: int) -> str:
    """A statement from behind a word to its end."""
    return text[words[i].end : words[-1].end]


def after_equals(words: list[Token], i: int) -> bool:
    """Whether a word of a declaration belongs to a value: behind the = of its own name."""
    for word in reversed(words[:i]):
        if word.depth == 0 and word.text == ",":
            return False
        if word.depth == 0 and word.text == "=":
            return True
    return False


def enclosing(words: list[Token], i: int) -> str:
    """The name before the bracket around a word."""
    for k in range(i - 1, 0, -1):
        if words[k].depth == words[i].depth - 1 and words[k].text in ("(", "["):
            return words[k - 1].text
    return ""


def commas(words: list[Token], opened: int, i: int) -> int:
    """Commas of a call before a word; `opened` is the place of its bracket."""
    depth = words[opened].depth + 1
    return sum(word.text == "," and word.depth == depth for word in words[opened:i])


def span_of(words: list[Token], i: int, logic: bool) -> tuple[int, int]:
    """The first and last word of the expression that a word stands in."""
    depth = words[i].depth
    ends = ENDS if logic else ENDS | LOGIC
    low = high = i
    while low > 0 and words[low - 1].depth >= depth:
        before = words[low - 1]
        if before.depth == depth and before.text in ends:
            break
        low -= 1
    while high + 1 < len(words) and words[high + 1].depth >= depth:
        behind = words[high + 1]
        if behind.depth == depth and behind.text in ends - ({"not"} if words[high].text in ("is", "in") else set()):
            break
        high += 1
    return low, high


def sample(found: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Mutants by chance, none within another; as many of each file as it has lines, about."""
    chosen: list[Mutant] = []
    for mutant in random.Random(seed).sample(found, len(found)):
        apart = all(
            mutant.file != other.file or mutant.end <= other.start or other.end <= mutant.start for other in chosen
        )
        if apart:
            chosen.append(mutant)
        if len(chosen) == count:
            break
    return chosen


def written(text: str, file: str, chosen: list[tuple[int, Mutant]]) -> str:
    """A source file with its mutants behind their conditions."""
    name = {".pyx": "mutant_of_pyx", ".pxd": "mutant_of_pxd", ".h": "solver_mutant"}[Path(file).suffix]
    for number, mutant in sorted(chosen, key=lambda pair: -pair[1].start):
        old = text[mutant.start : mutant.end]
        if mutant.whole and mutant.instead:
            indent = " " * (mutant.start - text.rfind("\n", 0, mutant.start) - 1)
            new = f"if {name} != {number}:\n{indent}    {old}\n{indent}else:\n{indent}    {mutant.instead}"
        elif mutant.whole:
            new = f"if {name} != {number}: {old}"
        elif file.endswith(".h"):
            new = f"({name} != {number} ? ({old}) : ({mutant.instead}))"
        else:
            new = f"(({old}) if {name} != {number} else ({mutant.instead}))"
        text = text[: mutant.start] + new + text[mutant.end :]
    if file.endswith(".h"):
        return text.replace("#include <stdint.h>\n", '#include <stdint.h>\n#include "_mutant.h"\n', 1)
    declared = f'cdef extern from "_mutant.h" nogil:\n    int {name} "solver_mutant"\n\n'
    place = re.search(r"^(from|cimport|import) (?!__future__)", text, re.MULTILINE)
    assert place, file
    return text[: place.start()] + declared + text[place.start() :]


def build(chosen: list[Mutant]) -> set[int]:
    """One build that holds all of them but those that Cython refuses: their numbers."""
    refused: set[int] = set()
    while True:
        errors = compiled([(k, mutant) for k, mutant in enumerate(chosen) if k not in refused])
        if not errors:
            return refused
        found = set()
        for file, line in re.findall(r"^(src/solver/\S+\.p[yx][xd]):(\d+):", errors, re.MULTILINE):
            lines = (WORK / file).read_text(encoding="utf-8").splitlines()
            found |= {int(number) for number in re.findall(r"mutant_of_p[yx][xd] != (\d+)", lines[int(line) - 1])}
        if not found - refused:
            sys.exit(errors[-4000:])
        refused |= found


def compiled(chosen: list[tuple[int, Mutant]]) -> str:
    """What the compilers have against a build with these mutants; an empty text if it stands."""
    (WORK / "src").mkdir(parents=True, exist_ok=True)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, WORK / name)
    for path in (ROOT / "src" / "solver").rglob("*"):
        if path.suffix in (".py", ".pyx", ".pxd", ".h", ".pyi"):
            file = path.relative_to(ROOT / "src" / "solver").as_posix()
            numbered = [(k, mutant) for k, mutant in chosen if mutant.file == file]
            text = path.read_text(encoding="utf-8")
            put(WORK / "src" / "solver" / file, written(text, file, numbered) if numbered else text)
    put(WORK / "src" / "solver" / "_mutant.h", HEADER)
    environment = {"CFLAGS": "-O1", **os.environ}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=WORK, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def put(path: Path, text: str) -> None:
    """Write a file if it says something else: what has not changed is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def tried(number: int, tests: list[str]) -> str:
    """How a mutant was killed by some tests, or an empty text if it survived them."""
    environment = {**os.environ, "SOLVER_MUTANT": str(number), "PYTHONPATH": str(WORK / "src")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not needs", "--tb=no"]
    command += ["-o", f"faulthandler_timeout={TIMEOUT}", "-o", "faulthandler_exit_on_timeout=true"]
    command += [f"--deselect={SLOW}", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return ""
    if "Timeout (" in done.stderr:
        return "no end"
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[0] if failed else f"exit {done.returncode}"


def main() -> None:
    """Build the mutants and try each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants to try, instead of a sample")
    parser.add_argument("--count", type=int, default=60, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried side by side")
    parser.add_argument("--files", default="", help="only files whose name has this in it")
    asked = parser.parse_args()
    source = ROOT / "src" / "solver"
    found = [m for file in TESTS for m in mutants_of(file, (source / file).read_text(encoding="utf-8"))]
    found = [m for m in found if asked.files in m.file]
    by_name = {m.name: m for m in found}
    unknown = [name for name in asked.names if name not in by_name]
    if unknown:
        sys.exit(f"there is no mutant {', '.join(unknown)}")
    chosen = [by_name[name] for name in asked.names] or sample(found, asked.count, asked.seed)
    print(f"{len(chosen)} of {len(found)} mutants", flush=True)
    start = time.monotonic()
    refused = build(chosen)
    numbers = [number for number in range(len(chosen)) if number not in refused]
    print(f"built in {time.monotonic() - start:.0f} s, without {len(refused)} that do not compile", flush=True)

    def told(number: int, fate: str) -> None:
        mutant = chosen[number]
        text = (source / mutant.file).read_text(encoding="utf-8")[mutant.start : mutant.end]
        change = "left out" if mutant.whole and not mutant.instead else f"-> {mutant.instead}"
        print(re.sub(r"\s*\n\s*", " ", f"{fate} {mutant.name}  {text}  {change}"), flush=True)

    # first what takes seconds, for all; then the rest, for those that are left
    total = len(numbers)
    with ThreadPoolExecutor(asked.jobs) as pool:
        for stage in (0, 1):
            parts = {number: TESTS[chosen[number].file] if stage else GOLDEN for number in numbers}
            every = list(dict.fromkeys(name for part in parts.values() for name in part))
            if numbers and (how := tried(-1, every)):
                sys.exit(f"without any fault: {how}")
            left = []
            for number, how in zip(numbers, pool.map(lambda k, parts=parts: tried(k, parts[k]), numbers), strict=True):
                if how:
                    told(number, f"killed by {how}:")
                else:
                    left.append(number)
                    if stage:
                        told(number, "SURVIVED:")
            numbers = left
            print(f"-- {total - len(left)} killed, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{total - len(numbers)} of {total} killed, {len(numbers)} survived")


if __name__ == "__main__":
    main()
