"""What an attacked call may end with, and what is a defect.

Fine are: an answer that keeps its promises (probabilities are finite and add up to one), and an
error that a user can act on: ``ValueError`` or ``TypeError`` (ours are among them) with a sentence.
Everything else is a defect: another error, an answer that is wrong, a warning of numpy's, a crash,
a hang.
"""

import re
import traceback
import warnings

import numpy as np

FINE = (ValueError, TypeError, ArithmeticError, LookupError)
# Kinds of the above that only ever come by accident.
ACCIDENTS = (IndexError, KeyError, ZeroDivisionError, OverflowError, UnicodeError)
# Errors that numpy or Python raise deep inside, which tell a user nothing.
DEEP = re.compile(
    r"object is not (subscriptable|iterable|callable)|unsupported operand|has no len\(\)|"
    r"operands could not be broadcast|cannot reshape|truth value of an (empty )?array|"
    r"iteration over a 0-d array|"
    r"'NoneType'|out of bounds for axis|zero-size array|matmul:|shapes .* not aligned|"
    r"index .* is out of bounds|not supported between instances|ufunc '|must be real number|"
    r"attempt to get arg(max|min) of an empty|need at least one array|\ba must be|too many indices|"
    r"got an unexpected keyword|cannot convert float|only (0-dimensional|length-1)|"
    r"could not determine|probabilities (do not sum|are not non-neg|contain NaN)|"
    r"^could not convert string|^len\(\) of unsized|^DataFrame constructor|^Big-endian buffer|"
    r"^float\(\) argument|^int\(\) argument|^only integer|takes \d+ positional|"
    r"Failed in nopython|setting an array element|inhomogeneous|negative dimensions|"
    r"Maximum allowed size exceeded"
)


def judge(call, *, strict=True):
    """Make a call and return (kind, text): kind is "answer", "error", or a kind of defect.

    ``strict``: a warning of numpy's is a defect, unless a member of another library asked for it;
    then the call is made again without.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if strict:
            warnings.simplefilter("error", RuntimeWarning)
        try:
            answer = call()
        except RuntimeWarning as warning:
            if not _is_ours(warning):
                return judge(call, strict=False)
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


def _is_ours(warning):
    """Return whether a line of ours asked numpy for what it warned about."""
    files = [frame.filename for frame in traceback.extract_tb(warning.__traceback__)]
    callers = [name for name in files if "/numpy/" not in name]
    return "/counterpoint/" in callers[-1] and "site-packages" not in callers[-1]


def check_answers(model, X):
    """Ask a fitted model; return a defect where its probabilities break their promise."""
    if hasattr(model, "predict"):
        model.predict(X)
    elif hasattr(model, "transform"):
        model.transform(X)
    if hasattr(model, "predict_proba"):
        return check_shares(model.predict_proba(X), "probabilities")
    return None


def check_shares(shares, name):
    """Return a defect where probabilities are no probabilities."""
    shares = np.asarray(shares)
    if not np.isfinite(shares).all():
        return f"bad {name}", "not finite"
    if (shares < -1e-12).any() or not np.allclose(shares.sum(axis=1), 1, atol=1e-9):
        return f"bad {name}", f"add up to {shares.sum(axis=1)[:3]}"
    return None
