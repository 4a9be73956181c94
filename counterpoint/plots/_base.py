"""What displays of ensembles share: three ways in, and the checks at the door."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from counterpoint._outputs import MemberOutputs
from counterpoint.exceptions import MemberError

UNNAMED = "ensemble"


class EnsembleDisplay(ABC):
    """A picture of what members said: from an estimator, from votes, or from outputs."""

    # Whether a dict means several ensembles on one picture.
    _several: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def from_outputs(cls, *args: Any, **options: Any) -> Self:
        """Measure what members said, then draw it."""

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax=None,
        **options: Any,
    ) -> Self:
        """Ask the members of a fitted ensemble, measure what they say, then draw it.

        Parameters
        ----------
        estimator : fitted ensemble, or dict of them
            Whatever ``MemberOutputs.from_estimator`` takes. Where a display shows several
            ensembles, a dict names them; the named members of one ensemble are then a list of
            (name, estimator) pairs.
        X : array-like or frame of shape (n_samples, n_features)
            What to ask about; best data that the ensemble never saw.
        y : array-like of shape (n_samples,)
            The truth.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **options
            What ``from_outputs`` takes besides.

        Returns
        -------
        display
            Already drawn.
        """
        if not cls._several:
            outputs: Any = MemberOutputs.from_estimator(
                estimator, X, y, sample_weight=sample_weight
            )
        else:
            if not isinstance(estimator, Mapping) and options.get("name") is None:
                listed = isinstance(estimator, list | tuple)
                options["name"] = UNNAMED if listed else type(estimator).__name__
            try:
                outputs = _each(
                    estimator,
                    lambda one: MemberOutputs.from_estimator(
                        one, X, y, sample_weight=sample_weight
                    ),
                )
            except MemberError as error:
                if isinstance(estimator, Mapping):
                    error.add_note(
                        "A dict names several ensembles here. For the members of one ensemble "
                        "pass a list of (name, estimator) pairs."
                    )
                raise
        return cls.from_outputs(outputs, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        votes,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ax=None,
        **options: Any,
    ) -> Self:
        """Measure labels that the members gave, then draw it.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The truth.
        votes : array-like of shape (n_members, n_samples), or dict of them
            The label each member gives each sample. Where a display shows several ensembles, a
            dict names them.
        classes : array-like of shape (n_classes,), default=None
            All labels, sorted, if some do not occur in ``y_true``.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **options
            What ``from_outputs`` takes besides.

        Returns
        -------
        display
            Already drawn.
        """

        def read(one):
            if isinstance(one, MemberOutputs):
                raise TypeError("votes are MemberOutputs already: pass them to from_outputs.")
            return MemberOutputs(one, y_true, classes=classes, sample_weight=sample_weight)

        outputs = _each(votes, read) if cls._several else read(votes)
        return cls.from_outputs(outputs, ax=ax, **options)


def _each(given, read):
    if isinstance(given, Mapping):
        return {name: read(one) for name, one in given.items()}
    return read(given)


def named_outputs(outputs, name: str | None = None) -> dict[str, MemberOutputs]:
    """Return ensembles by name, of one ensemble or a dict of them."""
    if isinstance(outputs, Mapping):
        if not outputs:
            raise ValueError("The dict of ensembles is empty: there is nothing to draw.")
        if name is not None:
            raise ValueError(
                f"name={name!r} is for one ensemble, but the dict names {len(outputs)} of them "
                "already: leave name out, or change the keys."
            )
        return {str(key): check_outputs(one) for key, one in outputs.items()}
    return {UNNAMED if name is None else str(name): check_outputs(outputs)}


def check_outputs(outputs) -> MemberOutputs:
    """Return ``outputs`` if they are MemberOutputs."""
    if isinstance(outputs, MemberOutputs):
        return outputs
    raise TypeError(
        f"from_outputs takes MemberOutputs, got {type(outputs).__name__}. Use from_predictions("
        "y_true, votes) for labels, from_estimator(estimator, X, y) for a fitted ensemble, "
        "MemberOutputs.from_correct for right/wrong flags."
    )


def need_members(outputs, least: int, what: str, name: str | None = None) -> None:
    """Raise unless there are enough members for this picture."""
    if outputs.n_members < least:
        who = "the ensemble" if name in (None, UNNAMED) else repr(name)
        raise ValueError(
            f"{what} needs at least {least} members, but {who} has {outputs.n_members}: pass an "
            "ensemble of more, votes of shape (n_members, n_samples)."
        )


def renamed(names: list[str], name: str | None) -> list[str]:
    """Return the names for the legend; ``name`` is for a single ensemble only."""
    if name is None:
        return names
    if len(names) != 1:
        raise ValueError(
            f"name={name!r} is for one ensemble, but this display holds {len(names)}: "
            f"{', '.join(names)}."
        )
    return [str(name)]
