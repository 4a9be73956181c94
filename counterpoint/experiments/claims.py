"""The claims by id: which file has which; a file is loaded when a claim of it is asked for."""

import difflib
from importlib import import_module

from counterpoint.experiments.protocol import Claim

__all__ = ["CLAIM_IDS", "claim"]

# One source a file; the thesis has three.
_FILES = {
    "sources_el": ("R1", "R2", "R3"),
    "sources_nc": ("R4", "R5", "R6"),
    "sources_svm": ("R7", "R8"),
    "sources_bnc": ("R9",),
    "sources_th_networks": ("R10", "R11", "R12"),
    "sources_th_trees": ("R13", "R14", "R15"),
    "sources_th_kernels": ("R16",),
    "sources_th_churn": ("R17",),
}
_FILE_OF = {id_: file for file, ids in _FILES.items() for id_ in ids}
CLAIM_IDS = tuple(_FILE_OF)


def claim(id_: str) -> Claim:
    """Return the claim of an id, in upper or lower case.

    Examples
    --------
    >>> claim("r1").id
    'R1'
    """
    wanted = id_.strip().upper()
    if wanted not in _FILE_OF:
        near = difflib.get_close_matches(wanted, CLAIM_IDS, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(
            f"There is no claim {id_!r}: they are {CLAIM_IDS[0]} to {CLAIM_IDS[-1]}.{hint}"
        )
    module = import_module(f"counterpoint.experiments.{_FILE_OF[wanted]}")
    return next(found for found in module.CLAIMS if found.id == wanted)
