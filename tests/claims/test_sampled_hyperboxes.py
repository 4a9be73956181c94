"""The rule on hyperboxes sampled from bagged trees."""

import claim_checks as checks
import pandas as pd

from counterpoint.claims._shared import REAL
from counterpoint.claims.sampled_hyperboxes import CLAIM, SETS, THRESHOLDS


def hyperboxes(sign=1):
    """Rows that follow section 5.3.2, or its opposite."""
    rows = []
    for name in SETS:
        for k in range(3):
            common = {"data": name, "fold_": k}
            gain = 0.05 * sign if name in REAL else 0.001 if sign > 0 else -0.2
            best = 0.2
            flat = {"bagging": best if sign > 0 else 0.01, "basicgf": best + gain}
            rows += [
                checks.fold_row(**common, method=m, threshold=None, error=e, boxes_=50)
                for m, e in flat.items()
            ]
            for t in THRESHOLDS:
                doubt = sign * 0.05 * (t == 0)
                made = {"ds1000": doubt, "merged, 20 trees": doubt, "merged, 10 trees": doubt}
                steady, moved = ("softdat", "dsdat") if sign > 0 else ("dsdat", "softdat")
                made |= {steady: 0.0, moved: abs(doubt)}
                full = 900 if name in REAL else 100
                boxes = full - 50 * t * sign if sign > 0 else 100 - 50 * t * sign
                rows += [
                    checks.fold_row(
                        **common, method=m, threshold=t, error=best + more, boxes_=boxes
                    )
                    for m, more in made.items()
                ]
    return pd.DataFrame(rows)


def test_the_rule_on_hyperboxes():
    assert CLAIM.judge(hyperboxes()).word == "reproduced"
    mixed = hyperboxes()
    mixed.loc[mixed["method"] == "merged, 20 trees", "boxes_"] = 20
    assert CLAIM.judge(mixed).word == "differs"
    assert CLAIM.judge(hyperboxes(-1)).word == "not reproduced"
