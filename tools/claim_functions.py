"""Write counterpoint/claims/code_functions.csv: the functions that run in the cells of each claim.

Of every claim one repeat of each setting of the smoke size is run and watched, then cells of the
full size in a seeded order, each of a setting that was not seen, for some seconds. Functions found
before stay if they are still there. Run this after a claim got a new method: by topic, or for all.
"""

import argparse
import csv
import random
from collections.abc import Iterator
from time import process_time

from counterpoint.claims import TOPICS, Cell, Claim, claim
from counterpoint.claims.code import PACKAGE, TABLE, functions_that_ran, watch
from counterpoint.claims.definitions import Package, Place
from counterpoint.claims.evaluation import evaluate
from counterpoint.claims.protocol import Experiment

REPEATS = ("repeat", "fold", "fold_")


def first_of_each_setting(cells: list[Cell]) -> Iterator[Cell]:
    seen = set()
    for cell in cells:
        setting = tuple(v for k, v in cell.values.items() if k not in REPEATS)
        if setting not in seen:
            seen.add(setting)
            yield cell


def functions_of(found: Claim, seconds: float) -> set[Place]:
    smoke, full = found.experiment("smoke"), found.experiment("full")
    small = list(first_of_each_setting(smoke.cells()))
    evaluate(smoke, small[0])  # imports what it needs, which is not to be seen
    places = watched(smoke, small)
    some = list(first_of_each_setting(full.cells()))
    random.Random(0).shuffle(some)
    began = process_time()
    for cell in some:
        if process_time() - began >= seconds:
            break
        places |= watched(full, [cell])
    return places


def watched(experiment: Experiment, cells: list[Cell]) -> set[Place]:
    return set(watch(lambda: [evaluate(experiment, cell) for cell in cells]))


def is_there(place: Place) -> bool:
    return bool(Package(PACKAGE).nodes(place))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("topics", nargs="*")
    asked.add_argument("--seconds", type=float, default=20.0, help="of full size, for each claim")
    options = asked.parse_args()
    table = {topic: set(places) for topic, places in functions_that_ran().items()}
    for topic in options.topics or TOPICS:
        kept = {place for place in table.get(topic, set()) if is_there(place)}
        table[topic] = kept | functions_of(claim(topic), options.seconds)
        print(f"{topic}: {len(table[topic])} functions", flush=True)
        with TABLE.open("w", encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(["topic", "module", "function"])
            for name in TOPICS:
                for place in sorted(table.get(name, set())):
                    writer.writerow([name, place.module, place.name])


if __name__ == "__main__":
    main()
