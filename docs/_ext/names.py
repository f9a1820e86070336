"""Names of the library in the text of pages and docstrings: each must exist, and in the built pages it is a link.

A page says `cfr.nash_conv` or `position.sample()`, in code as Markdown has it, so that it reads well anywhere. Such a
name is looked up; one that does not exist is a warning of the build, which ends it, and fails a test.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import solver

# Titles of the reference with their modules. Where two modules offer a thing, it is described in the first.
REFERENCE: dict[str, list[str]] = {
    "Games": [
        "solver.games",
        "solver.games.scout",
        "solver.games.bakerstreet",
        "solver.games.duel",
        "solver.games.bidding_round",
        "solver.games.kuhn",
        "solver.games.leduc",
        "solver.protocol",
        "solver.games.ops",
    ],
    "Search": ["solver.ismcts", "solver.explain", "solver.pimc", "solver.online"],
    "Solving": ["solver.cfr", "solver.duel", "solver.sampling", "solver.policy"],
    "Play and measure": ["solver.agents", "solver.arena", "solver.stats", "solver.executors"],
    "Research": ["solver.experiment", "solver.frames", "solver.plots", "solver.policy_plots", "solver.tables"],
    "Other tools": ["solver.adapters.openspiel", "solver.adapters.pettingzoo", "solver.adapters.features"],
    "Errors and randomness": ["solver.errors", "solver"],
    "Below": [
        "solver.tree",
        "solver.tree_walk",
        "solver.symmetry",
        "solver.evaluate",
        "solver.solution",
        "solver.runs",
        "solver.archive",
        "solver.standing",
        "solver.games.notation",
        "solver.games.scout_notation",
        "solver.games.bakerstreet_notation",
        "solver.asking",
        "solver.play",
        "solver.bench",
    ],
}
# The command has a page of its own.
COMMAND = {"solver.cli", "solver.cli_solve", "solver.cli_arena", "solver.cli_experiment", "solver.console"}
# What a page calls an object, and the classes it may be of: what is asked of it must be there in one of them.
OBJECTS = {
    "position": ["solver.games.scout.Position", "solver.games.bakerstreet.Position"],
    "state": ["solver.games.scout.State", "solver.games.bakerstreet.State", "solver.adapters.openspiel.State"],
    "game": ["solver.games.scout.Game", "solver.games.bakerstreet.Game", "solver.adapters.openspiel.Game"],
    "result": ["solver.ismcts.Result", "solver.online.Result", "solver.pimc.Averages"],
    "solution": ["solver.cfr.Solution", "solver.duel.Solution"],
    "tree": ["solver.tree.Tree"],
    "table": ["solver.policy.PolicyTable"],
    "standing": ["solver.standing.Standing"],
    "encoder": ["solver.adapters.features.Encoder"],
}
DOTTED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?")
PAGE = re.compile(r"\bdocs/([\w-]+)\.md\b")
FILES = {"policy", "json", "jsonl", "md", "py", "pyx", "pyi", "pxd", "csv", "parquet", "checkpoint", "txt", "h"}


class Home(NamedTuple):
    """Where a thing is described: a module of the reference, and the name there."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


class UnknownNameError(LookupError):
    """A text names what the library does not have."""


def modules() -> list[str]:
    """The modules of the reference."""
    return [name for names in REFERENCE.values() for name in names]


def public_modules() -> list[str]:
    """All modules of the library without an underscore in their name."""
    found = [module.name for module in pkgutil.walk_packages(solver.__path__, "solver.")]
    return [name for name in found if not any(part.startswith("_") for part in name.split("."))]


def offered(module: ModuleType) -> list[str]:
    """The public names of a module, in its order."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    return [name for name in names if not name.startswith("_")]


@functools.cache
def homes() -> dict[int, Home]:
    """Classes and functions by identity, with where they are described."""
    found: dict[int, Home] = {}
    for name in modules():
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue  # an extra is missing
        for each in offered(module):
            thing = getattr(module, each)
            if callable(thing) and hasattr(thing, "__qualname__") and not hasattr(thing, "__origin__"):
                found.setdefault(id(thing), Home(name, each))
    return found


@functools.cache
def classes() -> dict[str, list[Home]]:
    """Classes by their bare name."""
    found: dict[str, list[Home]] = {}
    for home in homes().values():
        found.setdefault(home.name, []).append(home)
    return found


@functools.cache
def _heads() -> dict[str, ModuleType]:
    """What a page may begin a name with: `solver`, or a module as one imports it."""
    found = {"solver": solver}
    for name in public_modules():
        first, _, rest = name.removeprefix("solver.").partition(".")
        if not rest or first in ("games", "adapters"):
            if name == "solver.adapters.pettingzoo":
                continue  # there is a package of this name
            try:
                # solver.duel, not solver.games.duel: the first stays
                found.setdefault(rest or first, importlib.import_module(name))
            except ImportError:
                continue
    for name in solver.__all__:
        thing = getattr(solver, name)
        if isinstance(thing, ModuleType):
            found[name] = thing
    return found


def _walk(start: Any, parts: list[str]) -> Home | None:
    """Follow attributes from a module or class; None where one is missing."""
    thing, path = start, []
    for part in parts:
        if isinstance(thing, ModuleType):
            path = []
            if not hasattr(thing, part):
                try:
                    importlib.import_module(f"{thing.__name__}.{part}")
                except ImportError:
                    return None
        elif not hasattr(thing, part) and part not in _annotated(thing):
            return None
        owner, thing = thing, getattr(thing, part, None)
        home = homes().get(id(thing))
        if home is not None:
            owner, path = importlib.import_module(home.module), [home.name]
        elif not isinstance(thing, ModuleType):
            path.append(part)
        if isinstance(owner, ModuleType):
            base = owner
    if isinstance(thing, ModuleType):
        return Home(thing.__name__, "")
    return Home(base.__name__ if isinstance(start, ModuleType) else "", ".".join(path))


def _annotated(thing: Any) -> set[str]:
    """Attributes that a class only declares, or that its docstring lists."""
    if not inspect.isclass(thing):
        return {"__any__"} if thing is None else set()
    names: set[str] = set()
    for base in thing.__mro__:
        names.update(inspect.get_annotations(base))
        listed = re.search(r"Attributes\n\s*-+\n(.*)", base.__doc__ or "", re.DOTALL)
        for line in re.findall(r"^\s*([\w, ]+) : ", listed[1] if listed else "", re.MULTILINE):
            names.update(line.replace(",", " ").split())
    return names


def look_up(text: str, module: str = "", within: str = "") -> Home | None:
    """What a text of code names.

    Parameters
    ----------
    text : str
        As the page has it, such as ``cfr.solve(game)``.
    module, within : str
        In a docstring: its module, and its class.

    Returns
    -------
    Home or None
        None where it is no name of the library.

    Raises
    ------
    UnknownNameError
        If it begins like one, but there is nothing of that name.
    """
    match = DOTTED.fullmatch(text)
    if match is None:
        return None
    parts = match[1].split(".")
    if module:
        inside = importlib.import_module(module)
        thing: Any = inside
        for part in within.split(".") if within else []:
            thing = getattr(thing, part, None)
        if within and inspect.isclass(thing) and hasattr(thing, parts[0]):
            return _walk(inside, [*within.split("."), *parts])
        if hasattr(inside, parts[0]) and parts[0] not in _heads():
            return _walk(inside, parts)
    if len(parts) == 1:
        found = classes().get(parts[0], []) if parts[0][0].isupper() and not parts[0].isupper() else []
        return found[0] if len(found) == 1 else None
    if len(parts) == 2 and parts[1] in FILES and parts[0] != "solver":
        return None
    if parts[0] in OBJECTS:
        for name in OBJECTS[parts[0]]:
            if _has(name, parts[1]):
                return look_up(f"{name}.{parts[1]}")
        raise UnknownNameError(f"{text}: {' and '.join(OBJECTS[parts[0]])} have no {parts[1]}")
    if parts[0] not in _heads():
        return None
    home = _walk(_heads()[parts[0]], parts[1:])
    if home is None:
        raise UnknownNameError(f"{text}: there is no such name")
    return home


def _has(name: str, part: str) -> bool:
    module, _, cls = name.rpartition(".")
    try:
        thing = getattr(importlib.import_module(module), cls)
    except ImportError:
        return False
    return hasattr(thing, part) or part in _annotated(thing)


def code_of(markdown: str) -> Iterator[str]:
    """The pieces of code within the sentences of a Markdown page."""
    prose = re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^    .*$", "", prose, flags=re.MULTILINE)
    yield from re.findall(r"`([^`]+)`", prose)


def unknown(page: Path) -> list[str]:
    """What a page names that does not exist, in words."""
    found = []
    for text in code_of(page.read_text(encoding="utf-8")):
        try:
            look_up(" ".join(text.split()))
        except UnknownNameError as error:
            found.append(str(error))
    return found


def setup(app: Any) -> dict[str, Any]:
    """Sphinx's door: links for names, warnings for names that do not exist."""
    from docutils import nodes
    from sphinx import addnodes
    from sphinx.util import logging
    from sphinx.util.nodes import make_refnode

    logger = logging.getLogger(__name__)
    kind = "solver-name"

    def pending(env: Any, text: str, literal: Any) -> Any:
        node = addnodes.pending_xref("", literal, refdomain="", reftype=kind, reftarget=text, refwarn=False)
        node["refdoc"] = env.docname
        node["py:module"] = env.ref_context.get("py:module") or ""
        node["py:class"] = env.ref_context.get("py:class") or ""
        return node

    def role(
        _name: str, _raw: str, text: str, lineno: int, inliner: Any, _options: Any = None, _content: Any = None
    ) -> Any:
        literal = nodes.literal(text, text, classes=["xref", "py"])
        node = pending(inliner.document.settings.env, text, literal)
        node.source, node.line = inliner.reporter.get_source_and_line(lineno)
        return [node], []

    def read(sphinx: Any, document: Any) -> None:
        """Code in the sentences of Markdown pages; in all of them, a page that is named by its file."""
        for text in list(document.findall(nodes.Text)):
            if PAGE.search(text) and not isinstance(text.parent, (nodes.literal_block, nodes.reference, nodes.literal)):
                text.parent.replace(text, linked(sphinx, text))
        if not str(sphinx.env.doc2path(sphinx.env.docname)).endswith(".md"):
            return
        for literal in list(document.findall(nodes.literal)):
            if not isinstance(literal.parent, (nodes.reference, addnodes.pending_xref)):
                node = pending(sphinx.env, literal.astext(), literal.deepcopy())
                node.source, node.line = literal.source, literal.line
                literal.replace_self(node)

    def linked(sphinx: Any, text: Any) -> list[Any]:
        parts: list[Any] = []
        at = 0
        for match in PAGE.finditer(text):
            parts.append(nodes.Text(text[at : match.start()]))
            at = match.end()
            node = addnodes.pending_xref("", nodes.inline("", match[1]), refdomain="std", reftype="doc")
            node.update_all_atts({"reftarget": "/" + match[1], "refdoc": sphinx.env.docname, "refwarn": True})
            node["refexplicit"] = False
            node.source, node.line = text.parent.source, text.parent.line
            parts.append(node)
        return [*parts, nodes.Text(text[at:])]

    def resolve(sphinx: Any, env: Any, node: Any, content: Any) -> Any:
        """A name of ours as a link; of other libraries as it stands."""
        soft = node.get("reftype") == kind
        if not soft and node.get("refdomain") != "py":
            return None
        target = " ".join(node["reftarget"].split())
        try:
            home = look_up(target, node.get("py:module") or "", node.get("py:class") or "" if soft else "")
        except UnknownNameError as error:
            logger.warning("%s", error, location=node, type="ref", subtype="name")
            return content
        entry = env.get_domain("py").objects.get(str(home)) if home else None
        if entry is not None:
            return make_refnode(sphinx.builder, node["refdoc"], entry.docname, entry.node_id, content, str(home))
        return content

    app.add_role("named", role)
    app.connect("doctree-read", read)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
