"""Whom to call before they leave

From a log of events to a ranked list: who is likely to leave, when, what a call would bring, and
how far down the list it pays. "When" is asked for in [hazardous
#92](https://github.com/soda-inria/hazardous/issues/92) and [churnlib
#11](https://github.com/navdeep-G/churnlib/issues/11); in the shell it is `counterpoint churn
events.csv`. [More](../docs/churn.md).

Seen: Part of those called that leaves, against the share called: a forest, naive Bayes, and
chance.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from counterpoint.plots import LiftDisplay
from counterpoint.sequences import (
    EventLog,
    RecentEventsTransformer,
    choose_cutoff,
    histories,
    lift_at,
    make_churn_events,
)

events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
log = EventLog.from_frame(events, entity="customer", time="time", type="event")
train, test = histories(log, target="churn", length=2).split_by_time(test_size=0.3)
print(f"{len(train)} histories to learn from, {len(test)} later ones, {test.y.mean():.2%} left")

scores = {}
for name, learner in {
    "forest": RandomForestClassifier(30, min_samples_leaf=5, random_state=0),
    "naive Bayes": GaussianNB(),
}.items():
    model = make_pipeline(RecentEventsTransformer(2, how="concat"), learner).fit(train, train.y)
    scores[name] = model.predict_proba(test)[:, 1]
    top = lift_at(test.y, scores[name], 0.01)
    print(f"{name}: of the first 1 %, {top['precision']:.0%} left")
cutoff = choose_cutoff(scores["forest"], test.y, gain=5, cost=1, capacity=0.02)
print(f"call the first {cutoff.n}: gain {cutoff.profit:.0f}")

display = LiftDisplay.from_predictions(test.y, scores, most=0.05)
