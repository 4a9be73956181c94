"""Definitions of ours and what they name: files are read here, not imported, and nothing is run.

A definition is a function, a method, a kernel, a constant or the head of a class.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_Source = tuple[str, str | None]


@dataclass(frozen=True, order=True)
class Place:
    """Where a definition stands: its module, and its name or ``Class.method`` there."""

    module: str
    name: str


class Module:
    """A file: what it defines at its top, and where its other names are from."""

    def __init__(self, path: Path) -> None:
        self.defined: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, _Source] = {}
        for node in _top(ast.parse(path.read_text(encoding="utf-8")).body):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imported |= _imports(node)
            for name in _bound(node):
                self.defined.setdefault(name, []).append(node)

    def nodes(self, name: str) -> list[ast.stmt]:
        """Return what defines a name: of a class its head, of ``Class.method`` the method."""
        outer, _, method = name.partition(".")
        found = self.defined.get(outer, [])
        if not method:
            return [head_of(n) if isinstance(n, ast.ClassDef) else n for n in found]
        return [
            inner
            for node in found
            if isinstance(node, ast.ClassDef)
            for inner in node.body
            if isinstance(inner, _FUNCTIONS) and inner.name == method
        ]

    def methods(self, name: str) -> set[str]:
        """Return the names of a class's own methods; of anything else there are none."""
        return {
            inner.name
            for node in self.defined.get(name, [])
            if isinstance(node, ast.ClassDef)
            for inner in node.body
            if isinstance(inner, _FUNCTIONS)
        }


@dataclass
class Package:
    """The files of a package, read when they are needed.

    Parameters
    ----------
    folder : Path
        Where its ``__init__.py`` is.
    name : str, default="counterpoint"
        What imports call it.
    """

    folder: Path
    name: str = "counterpoint"
    fingerprints: dict[Place, list[str]] = field(default_factory=dict, repr=False)
    _modules: dict[str, Module] = field(default_factory=dict, repr=False)
    _uses: dict[Place, set[Place]] = field(default_factory=dict, repr=False)

    def module(self, name: str) -> Module | None:
        """Return a module by its full name; None if it is not one of the package."""
        if name not in self._modules:
            path = self._path(name)
            if path is None:
                return None
            self._modules[name] = Module(path)
        return self._modules[name]

    def nodes(self, place: Place) -> list[ast.stmt]:
        """Return what stands at a place, nothing if nothing does."""
        module = self.module(place.module)
        return [] if module is None else module.nodes(place.name)

    def leads_to(
        self, places: Iterable[Place], follow: Callable[[Place, list[ast.stmt]], bool]
    ) -> set[Place]:
        """Return places and all that they name, of that what ``follow`` lets through."""
        found = set(places)
        waiting = list(found)
        while waiting:
            for used in self._used(waiting.pop()) - found:
                if follow(used, self.nodes(used)):
                    found.add(used)
                    waiting.append(used)
        return found

    def _used(self, place: Place) -> set[Place]:
        """Return the definitions of ours that the code at a place names."""
        if place not in self._uses:
            self._uses[place] = self._look_up(place)
        return self._uses[place]

    def _look_up(self, place: Place) -> set[Place]:
        module = self.module(place.module)
        if module is None:
            return set()
        every = [inner for node in module.nodes(place.name) for inner in ast.walk(node)]
        local: dict[str, _Source] = {}
        for node in every:
            if isinstance(node, ast.Import | ast.ImportFrom):
                local |= _imports(node)
        used = set()
        for node in every:
            target = None
            if isinstance(node, ast.Name):
                target = (
                    self._follow(local[node.id])
                    if node.id in local
                    else self._resolve(place.module, node.id)
                )
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                # kernels.votes(...): a name in a module that was imported whole
                source = local.get(node.value.id) or module.imported.get(node.value.id)
                if source is not None:
                    whole = source[0] if source[1] is None else f"{source[0]}.{source[1]}"
                    target = self._resolve(whole, node.attr)
            if target is not None:
                used.add(target)
        return used

    def _resolve(self, module_name: str, name: str) -> Place | None:
        module = self.module(module_name)
        if module is None:
            return None
        if name in module.defined:
            return Place(module_name, name)
        return self._follow(module.imported[name]) if name in module.imported else None

    def _follow(self, source: _Source) -> Place | None:
        return None if source[1] is None else self._resolve(source[0], source[1])

    def _path(self, name: str) -> Path | None:
        first, *rest = name.split(".")
        if first != self.name:
            return None
        path = self.folder.joinpath(*rest)
        files = [path / "__init__.py", *([path.with_suffix(".py")] if rest else [])]
        return next((file for file in files if file.is_file()), None)


def head_of(node: ast.ClassDef) -> ast.ClassDef:
    """Return a class without its methods: bases, decorators and what else stands in its body."""
    body = [inner for inner in node.body if not isinstance(inner, _FUNCTIONS)]
    head = ast.ClassDef(
        name=node.name,
        bases=node.bases,
        keywords=node.keywords,
        body=body or [ast.Pass()],
        decorator_list=node.decorator_list,
    )
    return ast.copy_location(head, node)


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements at the top of a file; imports also from within ``if`` and ``try``."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    yield inner


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement at the top of a file defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    if isinstance(node, _FUNCTIONS | ast.ClassDef):
        return {node.name}
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, _FUNCTIONS | ast.ClassDef):
            names.add(inner.name)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
    return names


def _imports(node: ast.Import | ast.ImportFrom) -> dict[str, _Source]:
    if isinstance(node, ast.Import):
        return {alias.asname: (alias.name, None) for alias in node.names if alias.asname}
    module = node.module or ""
    return {alias.asname or alias.name: (module, alias.name) for alias in node.names}
