"""Negative correlation learning on pairs of classes."""

from counterpoint._coupling import NegativeCorrelation, register_coupling


@register_coupling
class PairedNegativeCorrelation(NegativeCorrelation):
    """Negative correlation learning of the differences between outputs, class against class.

    What displaces a boundary between classes a and b is the error of ``f_a - f_b`` alone (Tumer
    and Ghosh 1996), so Zanda, Brown, Fumera and Roli (2007) train these with targets
    ``d_a - d_b``: the error of member i is the sum over pairs a < b of that of "ncl", here divided
    by the number of classes. As ``sum_{a<b} (u_a - u_b)^2 = K sum_a (u_a - mean u)^2``, that is
    "ncl" on outputs less their mean over classes.
    """

    name = "pairs"
    for_classes = True

    def error(self, outputs, targets):
        """Return the error of "ncl" on centred outputs."""
        return super().error(_centred(outputs), _centred(targets))

    def gradient(self, outputs, targets):
        """Return that of "ncl", centred: moving all outputs of a member alike changes nothing."""
        return super().gradient(_centred(outputs), _centred(targets))

    def objective(self, outputs, targets):
        """Return J on centred outputs."""
        return super().objective(_centred(outputs), _centred(targets))

    def judged(self, outputs, targets):
        """Return outputs with the mean over classes of the targets."""
        return _centred(outputs) + targets.mean(axis=-1, keepdims=True)


def _centred(outputs):
    return outputs - outputs.mean(axis=-1, keepdims=True)
