"""Draw the pictures of docs/churn.md: ``python docs/figures_churn.py``. Takes some minutes."""

from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint.plots import LiftDisplay, RelevanceHorizonDisplay
from counterpoint.sequences import (
    EventLog,
    HMMPairClassifier,
    RecentEventsTransformer,
    histories,
    make_churn_events,
    relevance_horizon,
)

IMAGES = Path(__file__).parent / "images"
FEATURES = ["event", "duration", "promise"]  # those of Eastwood (2010)


def save(figure, name):
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110, bbox_inches="tight")
    plt.close(figure)
    # With a palette the file is a third as large, and nobody sees a difference.
    picture = Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(IMAGES / name, optimize=True)


def neighbours():
    recent = RecentEventsTransformer(2, columns=FEATURES)
    return make_pipeline(recent, StandardScaler(), KNeighborsClassifier(7, weights="distance"))


def trees():
    recent = RecentEventsTransformer(2, how="concat", columns=FEATURES)
    return make_pipeline(recent, HistGradientBoostingClassifier(max_depth=4, learning_rate=0.05))


def draw_lift(log, hazard):
    train, test = histories(log, target="churn", length=2).split_by_entity(0.4, random_state=0)
    pair = HMMPairClassifier(random_state=0).fit(train, train.y)
    knn = neighbours().fit(train, train.y)
    scores = {
        "best possible": hazard[test.last],
        "HMM pair, 5 starts combined": -pair.rank(test),
        "HMM pair, one start": pair.member_scores(test)[0],
        "nearest neighbours": knn.predict_proba(test)[:, 1],
    }
    save(LiftDisplay.from_predictions(test.y, scores, most=0.015).figure_, "lift.png")


def draw_horizon(log):
    lengths = [1, 2, 3, 4, 5]
    scores = {
        name: relevance_horizon(log, make(), target="churn", lengths=lengths, random_state=0)
        for name, make in (("nearest neighbours", neighbours), ("boosted trees", trees))
    }
    save(RelevanceHorizonDisplay.from_scores(lengths, scores).figure_, "relevance_horizon.png")


def main():
    made = make_churn_events(random_state=0)
    log = EventLog.from_frame(made.events, entity="customer", time="time", type="event")
    draw_lift(log, made.hazard)
    draw_horizon(log)


if __name__ == "__main__":
    main()
