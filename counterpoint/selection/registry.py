"""The searches that have a short name; a new one is one line here."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice
from counterpoint.selection import ordering, search
from counterpoint.selection.genetic import select_genetic
from counterpoint.selection.thinning import select_thinning
from counterpoint.selection.trace import Trace


def _select_in_order(outputs, criterion="error", *, order, n_members=None):
    return search.select_by_order(outputs, order(outputs)[:n_members], criterion)


# A search is a function of outputs and criterion, with any of the options n_members, replace and
# random_state by name, that returns a Trace.
SEARCHES: dict[str, Callable[..., Trace]] = {
    "forward": search.select_forward,
    "backward": search.select_backward,
    "floating": search.select_floating,
    "thinning": select_thinning,
    "exhaustive": search.select_exhaustive,
    "genetic": select_genetic,
    "all": search.select_all,
    "error": partial(_select_in_order, order=ordering.order_by_error),
    "kappa": partial(_select_in_order, order=ordering.order_by_kappa),
    "margin": partial(_select_in_order, order=ordering.order_by_margin_distance),
    "complementarity": partial(_select_in_order, order=ordering.order_by_complementarity),
}


def run_search(name: str, outputs: MemberOutputs, criterion: Any, **options: Any) -> Trace:
    """Run a search by its name, with those of the options that it takes."""
    chosen = SEARCHES[check_choice(name, "search", SEARCHES)]
    known = signature(chosen).parameters
    return chosen(outputs, criterion, **{k: v for k, v in options.items() if k in known})
