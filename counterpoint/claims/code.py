"""Which code made a row: a hash of what really runs in a claim's cells.

Which functions of ours run was watched and is kept in ``code_functions.csv``
(``tools/claim_functions.py`` watches anew). With them count the constants and heads of classes that
they name, and the kernels, which cannot be seen running, with all that these name. A function that
newly runs is called by one that ran before and has changed, so it need not be in the table for a
change to be seen. Comments, docstrings, annotations, imports, the words of errors and warnings, and
the file in which a definition stands do not count.
"""

import ast
import csv
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import counterpoint
from counterpoint.claims.definitions import Package, Place
from counterpoint.claims.memory import forget

PACKAGE = Path(counterpoint.__file__).parent
TABLE = Path(__file__).with_name("code_functions.csv")
# What watches over a run, checks what it is given or tells of it does not make its numbers; nor
# does what compiles, which runs only where a kernel was not compiled before.
_WATCHES = {
    "_files", "_interrupts", "_options", "_progress", "_soundness", "_spelling", "_text",
    "_threads", "_validation", "_versions", "exceptions", "claims.code", "claims.definitions",
    "claims.evaluation", "claims.memory", "claims.parts", "claims.protocol", "_kernels.compiling",
    "_kernels.contexts", "_kernels.keeping", "_kernels.parts", "_kernels.pipeline",
    "_kernels.threads", "_kernels.translating",
}  # fmt: skip


@cache
def code_version(topic: str) -> str:
    """Return a short name of the code that matters to a claim; empty if it was never watched.

    Examples
    --------
    >>> len(code_version("independent-vote"))
    12
    """
    ran = functions_that_ran().get(topic)
    return hash_of(_here(), ran) if ran else ""


@cache
def functions_that_ran() -> dict[str, list[Place]]:
    """Return the functions and methods that run in the cells of each claim, by topic."""
    places: dict[str, list[Place]] = {}
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            places.setdefault(row["topic"], []).append(Place(row["module"], row["function"]))
    return places


@cache
def _here() -> Package:
    return Package(PACKAGE)


def hash_of(package: Package, ran: Iterable[Place]) -> str:
    """Return a hash of functions and of what counts with them."""
    ran = set(ran)
    methods = {place.name.partition(".")[2] for place in ran}
    lines = []
    for place in package.leads_to(ran, _counts):
        lines += [f"{place.name} {print_}" for print_ in _fingerprints(package, place)]
        # A method of this name, new in this class, would run in place of another.
        module = package.module(place.module)
        own = set() if module is None else module.methods(place.name) & methods
        lines += [f"{place.name}.{method}" for method in own]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


def watch(run: Callable[[], Any]) -> list[Place]:
    """Call a function; return the functions and methods of ours that ran in it."""
    seen: set[CodeType] = set()

    def look(frame: FrameType, event: str, argument: Any) -> None:
        # Bodies of modules and classes run when they are imported, whoever comes first.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            seen.add(frame.f_code)

    forget()  # or what makes it would not be seen
    with _profiled(look):
        run()
    places = {place for code in seen if (place := _place_of(code)) is not None}
    return sorted(place for place in places if _here().nodes(place))


@contextmanager
def _profiled(look: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


def _place_of(code: CodeType) -> Place | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(PACKAGE):
        return None
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    # What is defined within a function counts with it.
    function = code.co_qualname.partition(".<locals>")[0]
    return None if name in _WATCHES else Place(f"counterpoint.{name}", function)


def _counts(place: Place, nodes: list[ast.stmt]) -> bool:
    """Return whether a definition counts although it was not seen running."""
    name = place.module.removeprefix("counterpoint.")
    if name in _WATCHES:
        return False
    runs = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes)
    return name.startswith("_kernels.") or not runs


def _fingerprints(package: Package, place: Place) -> list[str]:
    """Return hashes of what stands at a place; many claims have most of their places in common."""
    if place not in package.fingerprints:
        package.fingerprints[place] = [_fingerprint(node) for node in package.nodes(place)]
    return package.fingerprints[place]


def _fingerprint(node: ast.stmt) -> str:
    """Return a hash of what a piece of code does."""
    # A copy, by way of its text: the package keeps the node.
    (bare,) = ast.parse(ast.unparse(node)).body
    return hashlib.sha256(ast.dump(_Bare().visit(bare)).encode()).hexdigest()


class _Bare(ast.NodeTransformer):
    """Take out what makes no numbers."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value))

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return ast.Raise()

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "warnings.warn":
            return None
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.stmt) and getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def _without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:]
        return self.generic_visit(node)
