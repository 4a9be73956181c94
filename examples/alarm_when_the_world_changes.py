"""An alarm when the world changes, and rarely else

A test at 5 % on every batch is a false alarm every twenty batches. `watch` keeps the chance that
there is *ever* one below its level, as [GLIDE
#317](https://github.com/EmertonData/glide/issues/317) wants it, and says for each batch how wrong
the model is thought to be, without labels. Here a sensor goes astray: the alarm tells, the estimate
alone would not. In the shell it is `counterpoint watch model.skops batches/*.parquet`.
[How](../docs/trust_population.md).

Seen: The estimated error of six batches; from the fourth on, when a column drifts, there is alarm.
"""

from counterpoint import tabular
from counterpoint.datasets import load
from counterpoint.plots import WatchDisplay

data = load("wine")
table = data.X.assign(kind=data.y).sample(frac=1.0, random_state=0)
model = tabular.fit(table[:120], "kind", "bagging")
rest = table[120:].drop(columns="kind")

batches = []
for day in range(6):
    batch = rest.sample(30, replace=True, random_state=day)
    if day >= 3:  # a sensor goes astray
        batch = batch.assign(proline=batch["proline"] * 0.5, hue=batch["hue"] + 0.5)
    batches.append((f"day {day}", batch))
told = tabular.watch(model, batches)
print(told.batches[["batch", "error", "alarm"]].round(3).to_string(index=False))

display = WatchDisplay.from_watch(told)
