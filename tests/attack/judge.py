"""What an attacked call may end with, and what is a defect.

Fine are: an answer that keeps its promises (probabilities are finite and add up to one), and an
error that a user can act on: ``ValueError`` or ``TypeError`` (ours are among them) with a sentence.
Everything else is a defect: another error, an answer that is wrong, a warning of numpy's, a crash,
a hang.
"""

import re
import warnings

import numpy as np

FINE = (ValueError, TypeError, ArithmeticError, LookupError)
# Kinds of the above that only ever come by accident.
ACCIDENTS = (IndexError, KeyError, ZeroDivisionError, OverflowError, UnicodeError)
# Errors that numpy or Python raise deep inside, which tell a user nothing.
DEEP = re.compile(
    r"object is not (subscriptable|iterable|callable)|unsupported operand|has no len\(\)|"
    r"operands could not be broadcast|cannot reshape|truth value of an array|"
    r"'NoneType'|out of bounds for axis|zero-size array|matmul:|shapes .* not aligned|"
    r"index .* is out of bounds|not supported between instances|ufunc '|must be real number|"
    r"attempt to get arg(max|min) of an empty|need at least one array|a must be|too many indices|"
    r"got an unexpected keyword|cannot convert float|only (0-dimensional|length-1)|"
    r"could not determine|probabilities (do not sum|are not non-neg|contain NaN)|"
    r"Failed in nopython|setting an array element|inhomogeneous|negative dimensions"
)


def judge(call):
    """Make a call and return (kind, text): kind is "answer", "error", or a kind of defect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            answer = call()
        except RuntimeWarning as warning:
            return "numpy warning", str(warning)
        except FINE as error:
            text = str(error)
            if isinstance(error, ACCIDENTS) and type(error).__module__ == "builtins":
                return type(error).__name__, text
            if not text.strip():
                return "empty error", type(error).__name__
            if DEEP.search(text):
                return "error from deep inside", f"{type(error).__name__}: {text}"
            return "error", text
        except MemoryError:
            return "error", "MemoryError"
        except Exception as error:
            return type(error).__name__, str(error)
    return ("answer", "") if answer is None else answer


def check_answers(model, X):
    """Ask a fitted model; return a defect where its probabilities break their promise."""
    if hasattr(model, "predict"):
        model.predict(X)
    elif hasattr(model, "transform"):
        model.transform(X)
    if hasattr(model, "predict_proba"):
        proba = np.asarray(model.predict_proba(X))
        if not np.isfinite(proba).all():
            return "bad probabilities", "not finite"
        if (proba < -1e-12).any() or not np.allclose(proba.sum(axis=1), 1, atol=1e-6):
            return "bad probabilities", f"add up to {proba.sum(axis=1)[:3]}"
    return None
