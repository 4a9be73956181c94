"""The command says what to do in its own words, on the terminal and on the page."""

import numpy as np
import pandas as pd


def test_advice_names_options(run, tmp_path):
    rng = np.random.RandomState(0)
    y = np.where(np.arange(400) % 10 == 0, "seldom", "often")
    table = pd.DataFrame({"x": rng.normal(size=400) + 1.2 * (y == "seldom"), "y": y})
    table.to_csv(tmp_path / "rare.csv", index=False)
    command = ("fit", str(tmp_path / "rare.csv"), "--target", "y", "--method", "naive-bayes")
    done = run(*command, "-o", str(tmp_path / "m.skops"))
    out = " ".join(done.out.split())
    assert "→ To find more of 'seldom': say --class-weight 'balanced'" in out
    assert "with --cost what each mistake costs" in out
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "What to do" in page
    assert "--class-weight" in page
