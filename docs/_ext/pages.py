"""Pages that are made at each build: the reference, the commands, and what stands under experiments/."""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import names
import stubs

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Made anew at each build, and in no commit.
API, EXPERIMENTS, COMMANDS = DOCS / "api", DOCS / "experiments", DOCS / "commands.rst"
LARGEST = 2_000_000  # bytes of a file that is shown with an experiment


def title(text: str, under: str = "=") -> str:
    """A heading."""
    return f"{text}\n{under * len(text)}\n\n"


def write(path: Path, text: str) -> None:
    """Write a page, unless it is there already: what is as it was is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def summary(module: Any) -> str:
    """The first sentence of a docstring, or what comes before its first colon."""
    return " ".join((inspect.getdoc(module) or "").partition("\n\n")[0].split())


def write_reference() -> None:
    """A page for each module, and one that lists them."""
    index = title("Reference")
    index += "Every public module, class and function. What begins with an underscore may change without a word.\n\n"
    stale = set(API.glob("*.rst"))
    for words, modules in names.REFERENCE.items():
        index += title(words, "-") + ".. list-table::\n   :widths: 30 70\n\n"
        for name in modules:
            index += f"   * - :doc:`{name}`\n     - {summary(importlib.import_module(name))}\n"
            page = API / f"{name}.rst"
            stale.discard(page)
            write(page, reference(name))
        index += "\n.. toctree::\n   :hidden:\n   :caption: " + words + "\n\n"
        index += "".join(f"   {name}\n" for name in modules) + "\n"
    stale.discard(API / "index.rst")
    write(API / "index.rst", index)
    for page in stale:
        page.unlink()


def reference(name: str) -> str:
    """The page of a module: what it says, then all it offers, but for what another page describes."""
    module = importlib.import_module(name)
    described, elsewhere, data = [], [], []
    for each in names.offered(module):
        thing = getattr(module, each)
        home = names.homes().get(id(thing))
        if inspect.ismodule(thing) or each.startswith("__"):
            continue
        if home is None:
            data.append(each)
        elif home.module == name:
            described.append((each, "class" if inspect.isclass(thing) else "function"))
        else:
            elsewhere.append(home)
    text = title(name) + f".. automodule:: {name}\n   :no-members:\n\n"
    text += f".. currentmodule:: {name}\n\n"
    if elsewhere:
        text += "Offered here, too: " + ", ".join(f"`{home}`" for home in elsewhere) + ".\n\n"
    for each in data:
        text += datum(module, each)
    for each, kind in sorted(described, key=lambda pair: pair[1]):  # classes first
        thing = getattr(module, each)
        if kind == "function":
            text += f".. autofunction:: {each}\n\n"
            continue
        # Sphinx 9.0 cannot find it for a class that is compiled
        given = (stubs.signature(thing, each) or ("",))[0]
        text += f".. autoclass:: {each}{given}\n   :members:\n"
        bases = [base for base in thing.__mro__[1:] if base.__module__.startswith("solver")]
        if any(id(base) not in names.homes() for base in bases):
            text += "   :inherited-members:\n"  # of a base that has no page
        elif thing.__bases__ != (object,):
            text += "   :show-inheritance:\n"
        text += "\n"
    return text


def datum(module: Any, name: str) -> str:
    """A constant: its value where that is short, and the comment that stands with it."""
    source = Path(module.__file__).read_text(encoding="utf-8") if module.__file__.endswith(".py") else ""
    value = repr(getattr(module, name))
    text = f".. py:data:: {name}\n" + (f"   :value: {value}\n" if len(value) < 150 else "") + "\n"
    found = re.search(rf"((?:^# .*\n)*)^{name} = .*?(?:  # (.*))?$", source, re.MULTILINE)
    for said in (found[1].replace("# ", "").replace("\n", " "), found[2] or "") if found else ():
        text += f"   {said[:1].upper()}{said[1:].strip()}\n\n" if said else ""
    return text


def write_experiments() -> None:
    """A copy of what each experiment tells and shows; links into the checkout lead to the pages here."""
    source = ROOT / "experiments"
    shutil.rmtree(EXPERIMENTS, ignore_errors=True)
    if not source.is_dir():
        return
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and path.stat().st_size <= LARGEST:
            target = EXPERIMENTS / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for page in EXPERIMENTS.rglob("*.md"):
        depth = len(page.relative_to(EXPERIMENTS).parts)
        text = page.read_text(encoding="utf-8")
        text = text.replace(f"]({'../' * depth}docs/", f"]({'../' * depth}")
        for folder in ("src", "tests", "benchmarks"):
            text = text.replace(f"]({'../' * depth}{folder}/", f"]({'../' * (depth + 1)}{folder}/")
        page.write_text(text, encoding="utf-8")
    first = EXPERIMENTS / "README.md"
    told = first.read_text(encoding="utf-8") if first.exists() else "# Experiments\n"
    first.unlink(missing_ok=True)
    (EXPERIMENTS / "index.md").write_text(
        f"{told}\n```{{toctree}}\n:caption: All pages\n:glob:\n:titlesonly:\n\n**\n```\n", encoding="utf-8"
    )


def commands() -> Iterator[tuple[str, Any]]:
    """Each command of `solver` with its words, those of a group after it."""
    import typer

    from solver import cli

    def below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield words, command
        for name, each in getattr(command, "commands", {}).items():
            yield from below(f"{words} {name}", each)

    yield from below("solver", typer.main.get_command(cli.app))


def write_commands() -> None:
    """What `--help` says of each command."""
    text = title("Commands")
    text += "The same is printed by ``solver --help`` and ``solver COMMAND --help``. "
    text += "Into a pipe or a file everything is printed plain; on a terminal ``NO_COLOR=1`` forbids colour. "
    text += "The exit status is 0, or 2 for bad input, with one line on standard error. "
    text += (
        "``solver --install-completion`` teaches bash, zsh, fish and PowerShell the commands, options and names.\n\n"
    )
    for words, command in commands():
        if words != "solver":
            text += title(words, "-")
        told = inspect.cleandoc(command.help or "")
        said, _, examples = told.replace("\b\n", "").partition("\n\nExample")
        text += (
            re.sub(r"`([^`]+)`|(?<!\w)(--[\w-]+)|(\bsolver [a-z]+)\b", lambda m: f"``{m[1] or m[0]}``", said) + "\n\n"
        )
        if examples:
            text += "::\n\n" + "".join(
                f"    {line.strip()}\n" for line in examples.partition(":")[2].splitlines() if line.strip()
            )
            text += "\n"
        rows = [parameter(each) for each in command.params if each.name != "help"]
        if rows:
            text += ".. list-table::\n   :widths: 30 70\n\n"
            text += "".join(f"   * - ``{name}``\n     - {said}\n" for name, said in rows) + "\n"
    write(COMMANDS, text)


def parameter(each: Any) -> tuple[str, str]:
    """How an argument or option is written, and what it is for."""
    name = ", ".join([*each.opts, *each.secondary_opts]) if each.param_type_name == "option" else each.name.upper()
    said = " ".join((each.help or "").split()) or "\\"
    default = each.default
    if default not in (None, False, "") and not callable(default) and each.param_type_name == "option":
        said += f" Default: {default}."
    return name, said.replace("\\", "\\\\").replace("*", "\\*").replace("`", "\\`").replace("|", "\\|")


def with_others(text: str) -> str:
    """The first page with the pages that it does not list, in place of its line `(others)`."""
    listed = set(re.findall(r"^(?:.+ <)?([\w/-]+)>?$", text, re.MULTILINE)) | {"index"}
    others = [page.stem for page in sorted(DOCS.glob("*.md")) if page.stem not in listed]
    return text.replace("(others)\n", "".join(f"{name}\n" for name in others))


def setup(app: Any) -> dict[str, Any]:
    """Sphinx's door."""
    from pygments.lexers import TextLexer

    def make(_app: Any, _config: Any) -> None:
        write_reference()
        write_experiments()
        write_commands()

    def read(_app: Any, name: str, source: list[str]) -> None:
        if name == "index":
            source[0] = with_others(source[0])
        # from a checkout these lead to the folder, here to its copy
        source[0] = source[0].replace("](../experiments/README.md", "](experiments/index.md")
        source[0] = source[0].replace("](../experiments/", "](experiments/")

    app.connect("source-read", read)
    app.add_lexer("txt", TextLexer)
    app.connect("config-inited", make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
