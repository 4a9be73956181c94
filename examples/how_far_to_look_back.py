"""How many past events matter?

Models of histories often look at the last event alone, or at all there is; which length fits best
should come from the data, says [Marketing-Attribution-Models
#45](https://github.com/DP6/Marketing-Attribution-Models/issues/45). `relevance_horizon` predicts
the same events from the last one, two, three and more, so that only the length differs, and shows
where looking further back stops to pay. The simulated customers were made to need two, and two is
found.
[More](../docs/churn.md#how-many-events-matter).

Seen: How many times better than chance, against past events: one is poor, two are enough.
"""

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline

from counterpoint.plots import RelevanceHorizonDisplay
from counterpoint.sequences import (
    EventLog,
    RecentEventsTransformer,
    make_churn_events,
    relevance_horizon,
)

events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
log = EventLog.from_frame(events, entity="customer", time="time", type="event")
trees = make_pipeline(
    RecentEventsTransformer(2, how="concat"),
    HistGradientBoostingClassifier(max_iter=30, random_state=0),
)
lengths = [1, 2, 3]
scores = relevance_horizon(log, trees, target="churn", lengths=lengths, n_repeats=2, random_state=0)
for length, score in zip(lengths, scores.mean(axis=1), strict=True):
    print(f"{length} past events: {score:.0f} times as good as chance")

display = RelevanceHorizonDisplay.from_scores(lengths, {"trees": scores})
