"""The error of a majority vote of independent members."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_MARK, panels
from counterpoint.claims.parts import near, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.diversity import independent_vote_error
from counterpoint.plots.style import colour

SOURCE = sources.INDEPENDENT_VOTE


def run(*, seed: int, n_members: int, member_error: float) -> dict[str, float]:
    """Return the error of a majority of independent members; no chance in it, so no repeats."""
    return {"vote_error": independent_vote_error(member_error, n_members)}


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare to the six digits printed."""
    keys = ["n_members", "member_error"]
    table = SOURCE.merge(frame[[*keys, "vote_error"]], on=keys, how="left")
    table = table.rename(columns={"vote_error": "ours"})[[*keys, "ours", "theirs"]]
    names = [f"{row.n_members} members of error {row.member_error}" for row in table.itertuples()]
    # Half of the last digit printed, and a little for rounding.
    each = zip(table["ours"].round(6), table["theirs"], strict=True)
    same = {
        name: near(ours, theirs, by=1e-9) for name, (ours, theirs) in zip(names, each, strict=True)
    }
    return verdict(same, table, f"To six digits the same: {share(same)}.")


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the error of the vote against that of a member."""
    figure, (ax,) = panels(1, size=(5.6, 4.2))
    for k, (n, part) in enumerate(frame.groupby("n_members")):
        part = part.sort_values("member_error")
        ax.plot(part["member_error"], part["vote_error"], "-", color=colour(k), label=f"{n}")
    known = SOURCE.set_index("member_error")["theirs"]
    ax.plot(known.index, known, label="the lecture's table", **THEIRS_MARK)
    alone = np.linspace(0.005, 0.5, 100)
    ax.plot(alone, alone, color="0.6", linewidth=1, zorder=0, label="1")
    ax.set(xlabel="Error of a member", ylabel="Error of the vote", yscale="log", ylim=(3e-7, 1))
    ax.legend(title="Members", frameon=False)
    return figure


CLAIM = Claim(
    topic="independent-vote",
    stream=1,
    title="The error of an independent vote",
    sentence=(
        "Five, ten and twenty independent members of error 0.1, 0.2 and 0.4 make a majority vote "
        "of error 0.008560 to 0.317440, 0.000147 to 0.166239 and 0.000001 to 0.127521."
    ),
    source=f"{sources.LECTURE}, table of the error of majority voting.",
    rule=(
        "Reproduced if all nine numbers agree to the six digits printed; differs if some do; else "
        "not reproduced."
    ),
    setup=(
        "None: it is arithmetic. A tie of an even number of members counts as right, as in the "
        "lecture."
    ),
    run=run,
    smoke=grid(n_members=[5, 10, 20], member_error=[0.1, 0.2, 0.4]),
    full=grid(n_members=[5, 10, 20], member_error=[round(k / 40, 3) for k in range(1, 21)]),
    judge=judge,
    draw=draw,
)
