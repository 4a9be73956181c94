"""TabPFN 0.1 on one cut of a table, for ``benchmarks/study.py``.

Knows nothing of counterpoint. The code is that of 0.1.11, the weights are in the source archive of
0.1 only, and both are older than the libraries there are. It was made for at most 1000 rows, 100
columns and 10 classes: of others nothing is told.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import time
import typing
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.nn.modules.transformer as layers

WEIGHTS = "prior_diff_real_checkpoint_n_0_epoch_42.cpkt"
MOST = 1000, 100, 10


def fetch(folder):
    """Take the weights out of the source archive."""
    with tempfile.TemporaryDirectory() as place:
        command = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "tabpfn", "-d", place]
        subprocess.run([sys.executable, "-m", *command, "tabpfn==0.1"], check=True)
        with tarfile.open(next(Path(place).glob("*.tar.gz"))) as archive:
            name = next(n for n in archive.getnames() if n.endswith(WEIGHTS))
            folder.mkdir(exist_ok=True)
            (folder / WEIGHTS).write_bytes(archive.extractfile(name).read())


warnings.simplefilter("ignore")
given = Path(sys.argv[1])
A, a, B = (np.load(given / f"{name}.npy") for name in ("A", "a", "B"))
own = Path(find_spec("tabpfn").origin).parent / "models_diff"
if not (own / WEIGHTS).exists():
    fetch(own)
# Names that it takes from a module of torch, which no longer has them.
for name in ("Any", "Callable", "Optional", "Union"):
    setattr(layers, name, getattr(typing, name))
from tabpfn import TabPFNClassifier  # noqa: E402

told = {}
if all(n <= most for n, most in zip((*A.shape, len(np.unique(a))), MOST, strict=True)):
    torch.set_num_threads(1)
    start = time.process_time()
    model = TabPFNClassifier(device="cpu", seed=int(np.load(given / "seed.npy"))).fit(A, a)
    said = model.predict_proba(B)  # it learns nothing before it is asked
    told["TabPFN 0.1"] = {"seconds": time.process_time() - start, "said": said.tolist()}
print(json.dumps(told))
