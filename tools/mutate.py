"""Change the code a little, and see whether a test notices: ``python tools/mutate.py``.

A mutant differs from a module in one place: a comparison, a sum, a number, a truth value, an
"and", a sign, or what is returned. Those tests of its package and examples in its docstrings run
on it that reach the place (coverage tells which); a mutant that passes them has survived, and is
printed: a gap in the tests, or a change that changes nothing. Mutants are drawn by a seed, as many
from each package as asked for.

Nothing is changed on disk: a process that has all loaded is forked for each mutant, and gives the
function its changed code; where a place is in no function, the package is imported again. Kernels
are tried with the JIT off. Left alone are messages of errors, decorators, types, and how many
threads are worth it.

``python tools/mutate.py --sample 60 --packages diversity,kernels --seed 0``
"""

import argparse
import ast
import csv
import datetime
import gc
import importlib.abc
import importlib.util
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType

import coverage

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tools" / "mutants.csv"
FIELDS = ("commit", "date", "package", "seed", "mutants", "found")
PACKAGES = {
    "diversity": sorted((ROOT / "counterpoint/diversity").glob("*.py")),
    "decomposition": sorted((ROOT / "counterpoint/decomposition").glob("*.py")),
    "combiners": sorted((ROOT / "counterpoint/combiners").glob("*.py")),
    "kernels": [ROOT / f"counterpoint/_kernels/{name}.py" for name in ("pairs", "polls", "votes")],
}
LEAST = 60  # seconds of the processor that the tests of a mutant may take at least
_SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.USub: ast.UAdd, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.MatMult: ast.Add,
}  # fmt: skip


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that a mutant may differ in, always in the same order."""
    if isinstance(tree, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert):
        return
    if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") in ("threads_for", "TypeVar"):
        return
    if isinstance(tree, ast.Assign) and getattr(tree.targets[0], "id", "").startswith("__"):
        return
    if _can_change(tree):
        yield tree
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from places(child)


def _can_change(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in _SWAPPED
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign | ast.UnaryOp):
        return type(node.op) in _SWAPPED or isinstance(node.op, ast.Not)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool | int | float)
    return isinstance(node, ast.Return) and not (
        node.value is None or isinstance(node.value, ast.Constant)
    )


def change(node: ast.AST) -> None:
    """Change a node in place."""
    if isinstance(node, ast.Compare):
        node.ops[0] = _SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        # "not x" becomes "not not x": what x is taken for.
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign | ast.UnaryOp):
        node.op = _SWAPPED[type(node.op)]()
    elif isinstance(node, ast.Constant):
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)


def name_of(path: Path) -> str:
    """Return the name that a file is imported by."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed tree, and leaves the others to Python."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.is_package = path.stem == "__init__"
        self.name = name_of(path)
        self.path, self.code = path, compile(tree, str(path), "exec")

    def find_spec(self, name, path=None, target=None):
        """Return where the changed module is, if it is asked for."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(
            name,
            self.path,
            loader=self,
            submodule_search_locations=[str(self.path.parent)] if self.is_package else None,
        )

    def exec_module(self, module) -> None:
        """Run the changed code."""
        exec(self.code, module.__dict__)

    def install(self, function: ast.FunctionDef | None) -> None:
        """Put the changed code of a function in its place; of none, that of the whole module."""
        if function is not None:
            first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
            key = str(self.path), function.name, first
            changed = next(code for code in _codes(self.code) if _key(code) == key)
            found = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
            found = [one for one in found if _key(one.__code__) == key]
            for one in found:
                one.__code__ = changed
            if found:
                return
        for name in [name for name in sys.modules if name.split(".")[0] == "counterpoint"]:
            del sys.modules[name]
        sys.meta_path.insert(0, self)
        # Now: pytest reads files that it is asked to look for examples in by itself, unchanged.
        importlib.import_module(self.name)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_name, code.co_firstlineno


def tests_of(package: str) -> list[str]:
    """Return where the tests of a package are: its folder, and examples in its docstrings."""
    if package == "kernels":
        return [f"tests/kernels/test_{path.stem}.py" for path in PACKAGES[package]]
    return [f"tests/{package}", f"counterpoint/{package}"]


def run_tests(
    tests: list[str], limit: int, prepare: Callable[[], None] = lambda: None, plugins: tuple = ()
) -> tuple[int, float]:
    """Run tests in a process of its own; return how it ended and its seconds of processor."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            out = os.open(os.environ.get("MUTATE_LOG", os.devnull), os.O_WRONLY | os.O_CREAT)
            os.dup2(out, 1)
            os.dup2(out, 2)
            prepare()
            options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=short"]
            options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            import pytest

            code = int(pytest.main([*options, *tests], plugins=list(plugins)))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status, used = os.wait4(pid, 0)
    ended = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return ended, used.ru_utime + used.ru_stime


class Reach:
    """Which tests reach which line: runs them once under coverage, test by test."""

    def __init__(self, package: str, folder: str) -> None:
        self.package, self.file = package, os.path.join(folder, package)
        source = [str(path) for path in PACKAGES[package]]
        self.meter = coverage.Coverage(data_file=self.file, include=source, config_file=False)

    def measure(self) -> tuple[int, float]:
        """Run all tests of the package as it is."""
        return run_tests(tests_of(self.package), 3600, self.meter.start, plugins=(self,))

    def pytest_runtest_logstart(self, nodeid, location) -> None:
        """Note which test is next."""
        self.meter.switch_context(nodeid)

    def pytest_sessionfinish(self, session) -> None:
        """Write down what was reached."""
        self.meter.stop()
        self.meter.save()

    def tests(self, path: Path, tree: ast.Module, node: ast.AST) -> list[str]:
        """Return the tests that reach a node; all, if it runs while the module is imported."""
        data = coverage.CoverageData(self.file)
        data.read()
        reached = data.contexts_by_lineno(str(path))
        first, last, function = _lines_around(tree, node)
        if function is None:
            return tests_of(self.package)
        found = {test for line in range(first, last + 1) for test in reached.get(line, ())}
        return sorted(found - {""})


def _lines_around(tree: ast.Module, node: ast.AST) -> tuple[int, int, ast.FunctionDef | None]:
    """Return the lines of the statement around a node, and the function around it, if any.

    What stands in the head of a function (a default) counts for its whole body.
    """
    inside = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.stmt) and any(node is below for below in ast.walk(one))
    ]
    statement = min(inside, key=lambda one: (one.end_lineno or 0) - one.lineno)
    functions = [one for one in inside if isinstance(one, ast.FunctionDef)]  # the outer first
    if isinstance(statement, ast.FunctionDef):
        return statement.body[0].lineno, statement.end_lineno or 0, functions[0]
    last = statement.end_lineno or 0
    if body := getattr(statement, "body", None):  # of an "if" or "for": its head
        last = max(statement.lineno, body[0].lineno - 1)
    return statement.lineno, last, functions[0] if functions else None


@dataclass
class Outcome:
    """What became of one mutant."""

    package: str
    path: str
    line: int
    now: str
    survived: bool
    how: str
    seconds: float


def draw(package: str, n: int, rng: random.Random) -> list[tuple[Path, int]]:
    """Draw places of a package's modules, each as likely as any other."""
    there = [
        (path, k)
        for path in PACKAGES[package]
        for k, _ in enumerate(places(ast.parse(path.read_text(encoding="utf-8"))))
    ]
    return rng.sample(there, min(n, len(there)))


def try_one(package: str, path: Path, place: int, reach: Reach, limit: int) -> Outcome:
    """Make a mutant and run the tests that reach it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = list(places(tree))[place]
    tests = reach.tests(path, tree, node)
    *_, function = _lines_around(tree, node)
    if function is not None and any(node is one for one in ast.walk(function.args)):
        function = None  # a default is kept in the function, not in its code
    change(node)
    ast.fix_missing_locations(tree)
    line, now = node.lineno, ast.unparse(node)
    if not tests:
        return Outcome(package, str(path), line, now, True, "no test", 0.0)
    changed = Changed(path, tree)
    ended, seconds = run_tests(tests, limit, lambda: changed.install(function))
    how = {0: "survived", -signal.SIGXCPU: "too long", -signal.SIGKILL: "too long"}
    return Outcome(package, str(path), line, now, ended == 0, how.get(ended, "found"), seconds)


def try_package(package: str, n: int, seed: int) -> list[Outcome]:
    """Try mutants of one package, in this process and its children."""
    os.environ.setdefault("CI", "true")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    if package == "kernels":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT)]
    done = []
    for name in ("hypothesis", "pytest", "sklearn.ensemble"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        reach = Reach(package, folder)
        ended, whole = reach.measure()  # before ours is imported: what an import runs is seen
        if ended:
            sys.exit(f"{package}: its tests do not pass as it is (exit {ended}).")
        drawn = draw(package, n, random.Random(seed))
        print(f"{package}: {len(drawn)} mutants, tests take {whole:.0f} s", flush=True)
        for modules in PACKAGES.values():  # packages import their modules late, if at all
            for module in modules:
                importlib.import_module(name_of(module))
        for path, place in drawn:
            one = try_one(package, path, place, reach, int(max(LEAST, 3 * whole)))
            done.append(one)
            if one.survived:
                where = f"{path.relative_to(ROOT)}, line {one.line}"
                print(f"  {one.how}: {where}: {one.now}", flush=True)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=40, help="mutants of each package")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="with commas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kept", action="store_true", help="print what was found last")
    options = parser.parse_args()
    if options.kept:
        print(kept_line())
        return
    done: list[Outcome] = []
    for package in options.packages.split(","):
        # In a process of its own: kernels want the JIT off from the start.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one:
            tried = one.submit(try_package, package, options.sample, options.seed).result()
        keep(package, options.seed, len(tried), sum(not one.survived for one in tried))
        done += tried
    tell(done)


def keep(package: str, seed: int, n: int, found: int, path: Path = KEPT) -> None:
    """Write down how many mutants of a package were found, with the commit."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(FIELDS)
        writer.writerow((commit, datetime.date.today().isoformat(), package, seed, n, found))


def kept_line(path: Path = KEPT) -> str:
    """Return a sentence with what was found last of each package, for CI."""
    if not path.exists():
        return "mutants: not tried yet; `make mutants` takes half an hour."
    with path.open(newline="", encoding="utf-8") as file:
        last = {row["package"]: row for row in csv.DictReader(file)}
    each = [f"{name} {row['found']} of {row['mutants']}" for name, row in last.items()]
    when = max(row["date"] for row in last.values())
    return f"mutants found (by `make mutants`, {when}, not in this run): {', '.join(each)}"


def tell(done: list[Outcome]) -> None:
    """Print the share of mutants found, by module, by package, and of all."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in done:
        groups[f"{one.package}/{Path(one.path).stem}"].append(one)
        groups[one.package].append(one)
    groups["all"] = done
    for name in sorted(groups, key=lambda name: (name == "all", name)):
        these = groups[name]
        found = sum(not one.survived for one in these)
        print(f"{name:<32} {found:>4} of {len(these):<4} found: {100 * found / len(these):5.1f} %")
    print(f"{sum(one.seconds for one in done):.0f} s of processor time")


if __name__ == "__main__":
    main()
