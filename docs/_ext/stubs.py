"""Signatures of compiled things, from the stubs that lie beside them: with types, as of everything else."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from typing import Any


@functools.cache
def _stub(module: str) -> ast.Module | None:
    """The stub of a module, with its private aliases written out; None where it has none."""
    file = getattr(importlib.import_module(module), "__file__", None)
    if file is None or Path(file).suffix == ".py":
        return None
    path = Path(file).with_name(Path(file).name.partition(".")[0] + ".pyi")
    if not path.exists():
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aliases = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id[0] == "_"
    }

    class WrittenOut(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            value = aliases.get(node.id)
            return node if value is None or isinstance(value, ast.Call) else self.visit(value)

    return WrittenOut().visit(tree)


def _find(body: list[ast.stmt], name: str) -> ast.stmt | None:
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
    return None


def _maker(cls: ast.ClassDef, thing: type) -> ast.FunctionDef | None:
    """What makes an object of a class: its own, or that of the nearest base."""
    for name in ("__init__", "__new__"):
        found = _find(cls.body, name)
        if isinstance(found, ast.FunctionDef):
            return found
    for base in thing.__mro__[1:-1]:
        tree = _stub(base.__module__)
        node = _find(tree.body, base.__name__) if tree else None
        if isinstance(node, ast.ClassDef):
            return _maker(node, base)
    return None


def signature(thing: Any, name: str) -> tuple[str, str | None] | None:
    """Parameters and result of a compiled function, method or class; None where no stub tells."""
    owner = getattr(thing, "__objclass__", thing)
    module = getattr(owner, "__module__", None)
    tree = _stub(module) if module and module.startswith("solver") else None
    if tree is None:
        return None
    qualified = getattr(thing, "__qualname__", name.rpartition(".")[2])
    node: Any = tree
    for part in qualified.split("."):
        node = _find(node.body, part) if node is not None and hasattr(node, "body") else None
    method = "." in qualified
    if isinstance(node, ast.ClassDef):
        if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases):
            return None
        node, method = _maker(node, thing), True
        if node is None or [arg.arg for arg in node.args.args[1:]] == ["token"]:
            return "()", None
        node.returns = None
    if not isinstance(node, ast.FunctionDef):
        return None
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
    arguments = node.args
    if method and not static:
        first = arguments.posonlyargs or arguments.args
        arguments = ast.arguments(
            posonlyargs=arguments.posonlyargs[1:] if arguments.posonlyargs else [],
            args=arguments.args if arguments.posonlyargs else arguments.args[1:],
            vararg=arguments.vararg,
            kwonlyargs=arguments.kwonlyargs,
            kw_defaults=arguments.kw_defaults,
            kwarg=arguments.kwarg,
            defaults=arguments.defaults[-(len(arguments.posonlyargs) + len(arguments.args) - 1) :] if first else [],
        )
    return f"({ast.unparse(arguments)})", ast.unparse(node.returns) if node.returns else None


def setup(app: Any) -> dict[str, Any]:
    """Sphinx's door."""

    def of_stub(
        _app: Any, _what: str, name: str, thing: Any, _options: Any, given: str | None, result: str | None
    ) -> tuple[str | None, str | None] | None:
        return signature(thing, name) if callable(thing) else None

    def skip(_app: Any, _what: str, _name: str, thing: Any, _skip: bool, _options: Any) -> bool | None:
        """The fields of a named tuple, which its docstring tells of."""
        return True if str(getattr(thing, "__doc__", "")).startswith("Alias for field number") else None

    app.connect("autodoc-process-signature", of_stub)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
