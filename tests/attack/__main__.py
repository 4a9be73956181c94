"""The long attack: ``make attack`` (an hour), or ``python -m attack --minutes 5`` in tests/.

A case is "target:seed"; ``--case diversity.kappa:17`` runs that one again, in this process.
"""

import argparse
import collections
import sys
import traceback

from attack import judge, targets
from attack.workers import attack, run_case


def main():
    """Parse the command line, attack, print figures, and exit by them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", default="", help="part of a target's name")
    parser.add_argument("--kind", choices=["functions", "estimators", "both"], default="both")
    parser.add_argument("--seed", type=int, default=0, help="begin with this case of each target")
    parser.add_argument("--case", help="run one case, target:seed, with its traceback")
    given = parser.parse_args()
    if given.case:
        name, seed = given.case.rsplit(":", 1)
        judge.FINE, judge.ACCIDENTS = (), ()
        try:
            print(run_case(name, int(seed)))
        except Exception:
            traceback.print_exc()
        return 0
    parts = []
    if given.kind != "estimators":
        parts.append((sorted(targets.functions()), 0.4))
    if given.kind != "functions":
        parts.append((sorted(targets.estimators()), 0.6))
    defects, total = [], collections.Counter()
    whole = sum(share for _, share in parts)
    for names, share in parts:
        names = [name for name in names if given.only in name]
        if names:
            counts, found = attack(names, given.minutes * 60 * share / whole, seed=given.seed)
            defects += found
            total += counts
    seen = collections.Counter()
    for kind, case, text in sorted(defects):
        target = case.rsplit(":", 1)[0]
        seen[kind, target] += 1
        if seen[kind, target] <= 2:
            print(f"{kind:24} {case:45} {text[:160]}")
    print(", ".join(f"{name} {count}" for name, count in total.most_common()))
    print(f"{total['calls']} calls, {total['fits']} fits, {len(defects)} defects")
    return int(bool(defects))


if __name__ == "__main__":
    sys.exit(main())
