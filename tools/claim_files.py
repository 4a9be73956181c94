"""Write counterpoint/claims/code_files.csv: the files that run in the cells of each claim.

Every claim's smoke size is run once and watched; run this after a claim got a new method.
"""

import csv
import sys

from counterpoint.claims import TOPICS, Experiment, claim
from counterpoint.claims.code import TABLE, trace_files, traced_files


def run_smoke(experiment: Experiment) -> None:
    seen = set()
    for cell in experiment.cells():
        # One repeat of each setting runs all the code there is.
        setting = tuple(v for k, v in cell.values.items() if k not in ("repeat", "fold", "fold_"))
        if setting not in seen:
            seen.add(setting)
            experiment.evaluate(cell)


def main() -> None:
    files = traced_files() if TABLE.exists() else {}
    for topic in sys.argv[1:] or TOPICS:
        experiment = claim(topic).experiment("smoke")
        experiment.evaluate(experiment.cells()[0])  # imports what it needs, which is not to be seen
        files[topic] = trace_files(lambda made=experiment: run_smoke(made))
        print(f"{topic}: {len(files[topic])} files", flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["topic", "file"])
        writer.writerows([topic, name] for topic in TOPICS for name in files.get(topic, []))


if __name__ == "__main__":
    main()
