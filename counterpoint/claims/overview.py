"""All claims at a glance: how far each was run and what came of it, judged where it must be."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from counterpoint.claims import registry
from counterpoint.claims.records import Records

if TYPE_CHECKING:
    from counterpoint.claims.protocol import Claim

STORE = "cells.sqlite"
# What a verdict rests on, if that is not all cells of the full size: in a list, and at length.
MARKS = {
    "early": "decided at a look before the end, at wider intervals",
    "so far": "not all cells of full size were run",
    "smoke run": "a quick try, too small to decide",
}


def overview(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """Return what was run of every claim and what came of it, and what could not be read.

    The summaries are those of :func:`counterpoint.claims.page.summarise_claim`. Of claims whose
    rows, code and data are as they were when they were last judged, what was said then is said
    again (:mod:`counterpoint.claims.records`). A store that is not there is not made.
    """
    records = Records(folder, STORE)
    said = {topic: records.known(topic) for topic in registry.TOPICS}
    problem = ""
    new = [topic for topic, one in said.items() if one is None]
    if new:
        found, problem = _judged(folder, [registry.claim(topic) for topic in new], records)
        said |= {one["topic"]: one for one in found}
    return [one for one in said.values() if one is not None], problem


def _judged(
    folder: Path, claims: Sequence["Claim"], records: Records
) -> tuple[list[dict[str, Any]], str]:
    from counterpoint.claims import kept
    from counterpoint.claims.judging import judge_claim
    from counterpoint.claims.page import summarise_claim
    from counterpoint.claims.store import Store

    path, problem, said = folder / STORE, "", []
    with TemporaryDirectory() as nowhere:
        files = {claim.topic: records.files(claim.topic) for claim in claims}
        with Store(path if path.exists() else Path(nowhere) / STORE) as store:
            try:
                kept.take_kept(claims, store, folder)
            except ImportError as error:  # what is in files is missing then
                problem = f"{error} Going on without the cells in {folder / kept.FOLDER}."
            for claim in claims:
                before = records.state(claim.streams, store.path)
                said.append(summarise_claim(judge_claim(claim, store)))
                # Others may write meanwhile: what was judged must be what was hashed.
                same = before == records.state(claim.streams, store.path)
                if same and not problem and files[claim.topic] == records.files(claim.topic):
                    state = before if store.path == path else records.state(claim.streams)
                    records.keep(said[-1], claim.streams, state, files[claim.topic])
    records.write()
    return said, problem
