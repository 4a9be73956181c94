"""Which code made a row: a hash of the files of ours that run in a claim's cells.

Which files these are was traced once and is kept in ``code_files.csv``; ``trace_files`` finds them
anew. Words that do not run, docstrings and comments, do not count.
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
from types import FrameType
from typing import Any

import counterpoint

PACKAGE = Path(counterpoint.__file__).parent
TABLE = Path(__file__).with_name("code_files.csv")


def code_version(topic: str) -> str:
    """Return a short name of the code that matters to a claim; empty if it was never traced.

    Examples
    --------
    >>> len(code_version("independent-vote"))
    12
    """
    files = traced_files().get(topic, [])
    if not files:
        return ""
    text = "\n".join(f"{name} {_fingerprint(PACKAGE / name)}" for name in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def traced_files() -> dict[str, list[str]]:
    """Return the files that run in the cells of each claim, by topic, as paths in the package."""
    files: dict[str, list[str]] = {}
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            files.setdefault(row["topic"], []).append(row["file"])
    return files


def trace_files(run: Callable[[], Any]) -> list[str]:
    """Call a function; return the files of ours that ran in it, and the kernels they import.

    Compiled kernels cannot be seen running, so those count that a file which ran imports.
    """
    seen: set[str] = set()

    def look(frame: FrameType, event: str, argument: Any) -> None:
        # Bodies of modules and classes run when they are imported, whoever comes first.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            seen.add(frame.f_code.co_filename)

    with _profiled(look):
        run()
    ran = {Path(name) for name in seen if name.startswith(str(PACKAGE))}
    return sorted(
        path.relative_to(PACKAGE).as_posix() for path in _with_kernels(ran) if _matters(path)
    )


@contextmanager
def _profiled(look: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


def _matters(path: Path) -> bool:
    # What watches over a run, draws or tells does not make its numbers.
    return path.suffix == ".py" and path.name not in {
        "_progress.py", "_validation.py", "_interrupts.py", "_threads.py", "_options.py",
        "_soundness.py", "evaluation.py", "protocol.py", "code.py", "compiling.py", "parts.py",
        "__init__.py",
    }  # fmt: skip


def _with_kernels(files: Iterable[Path]) -> set[Path]:
    """Return the files and, of what they import from the kernels, all that leads to."""
    found, waiting = set(files), list(files)
    while waiting:
        for kernel in _kernels_of(waiting.pop()):
            if kernel not in found:
                found.add(kernel)
                waiting.append(kernel)
    return found


def _kernels_of(path: Path) -> set[Path]:
    kernels = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        if node.module == "counterpoint._kernels":
            kernels |= {PACKAGE / "_kernels" / f"{name.name}.py" for name in node.names}
        elif node.module.startswith("counterpoint._kernels."):
            kernels.add(PACKAGE / "_kernels" / f"{node.module.rsplit('.', 1)[1]}.py")
    return {kernel for kernel in kernels if kernel.exists()}


@cache
def _fingerprint(path: Path) -> str:
    """Return a hash of what a file does: its syntax without docstrings; empty if it is gone."""
    if not path.exists():
        return ""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()
