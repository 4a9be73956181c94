"""Who is right when nobody knows?

Seven people label the same items, with gaps, and nobody has the truth. How often each is right can
still be found from how they agree (Dawid and Skene 1979), and who copies from whom:
[crowd-kit](https://github.com/Toloka/crowd-kit) has such models, but takes two that copy each
other for two witnesses. The same works for models that judge [answers of other
models](../docs/trust_judges.md).

Seen: Accuracy of seven voters with limits; the two that copy are tied together.
"""

import numpy as np

from counterpoint.datasets import make_votes
from counterpoint.plots import VotersDisplay
from counterpoint.trust import estimate_truth

made = make_votes(300, n_members=7, missing=0.2, copies={6: 5}, random_state=0)
found = estimate_truth(made.votes, random_state=0)
print(found.table().round(2).to_string(index=False))
for pair in found.copies.itertuples():
    print(
        f"{pair.first} and {pair.second} copy: they agree on {pair.agreement:.0%}, "
        f"{pair.expected:.0%} would be expected"
    )
print(f"labels found that are right: {np.mean(found.labels == made.truth):.3f}")

display = VotersDisplay.from_truth(found)
