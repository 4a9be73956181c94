"""The long attack: ``make attack`` (an hour), or ``python -m attack --minutes 5`` in tests/.

A case is "target:seed"; ``--case diversity.kappa:17`` runs that one again, in this process.
"""

import argparse
import collections
import importlib
import pkgutil
import sys
import traceback

import attack
from attack import judge, targets, workers

# Shares of the time. Every module here with a function ``attack(seconds, seed)`` is a part too.
SHARES = {"functions": 0.3, "estimators": 0.3}
SHARE_OF_OTHERS = 0.1


def parts():
    """Return what attacks each part, by name: a function of (seconds, seed)."""

    def of(names):
        return lambda seconds, seed: workers.attack(sorted(names), seconds, seed=seed)

    found = {"functions": of(targets.functions()), "estimators": of(targets.estimators())}
    for module in pkgutil.iter_modules(attack.__path__):
        if module.name not in ("__main__", "workers") and not module.name.startswith("test_"):
            part = getattr(importlib.import_module(f"attack.{module.name}"), "attack", None)
            if callable(part):
                found[module.name] = part
    return found


def main():
    """Parse the command line, attack, print figures, and exit by them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", default="", help="part of a function's or estimator's name")
    parser.add_argument("--kind", choices=sorted(parts()), help="this part alone")
    parser.add_argument("--seed", type=int, default=0, help="begin with this case of each target")
    parser.add_argument("--case", help="run one case, target:seed, with its traceback")
    given = parser.parse_args()
    if given.case:
        return run_again(given.case)
    chosen = parts()
    if given.only:
        names = {**targets.functions(), **targets.estimators()}
        names = sorted(name for name in names if given.only in name)
        chosen = {given.only: lambda seconds, seed: workers.attack(names, seconds, seed=seed)}
    elif given.kind:
        chosen = {given.kind: chosen[given.kind]}
    shares = {name: SHARES.get(name, SHARE_OF_OTHERS) for name in chosen}
    total, defects = collections.Counter(), []
    for name, part in chosen.items():
        seconds = given.minutes * 60 * shares[name] / sum(shares.values())
        counts, found = part(seconds, given.seed)
        print(f"{name}: " + (", ".join(f"{k} {n}" for k, n in counts.most_common()) or "nothing"))
        total += counts
        defects += found
        show(found)
    figures = [f"{total[name]} {name}" for name in ("calls", "fits")]
    print(", ".join([*figures, f"{len(defects)} defects"]))
    return int(bool(defects))


def show(defects):
    """Print two cases of each kind of defect of each target."""
    seen = collections.Counter()
    for kind, case, text in sorted(defects):
        target = case.rsplit(":", 1)[0]
        seen[kind, target] += 1
        if seen[kind, target] <= 2:
            print(f"  {kind:24} {case:45} {text[:160]}", flush=True)


def run_again(case):
    """Run one case and show its traceback, whatever its kind."""
    name, seed = case.rsplit(":", 1)
    judge.FINE, judge.ACCIDENTS = (), ()
    try:
        print(workers.run_case(name, int(seed)))
    except Exception:
        traceback.print_exc()
    return 0


if __name__ == "__main__":
    sys.exit(main())
