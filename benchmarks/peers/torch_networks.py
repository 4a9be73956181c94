"""Negative correlation learning as one writes it in PyTorch: a loop over modules.

Reads X, targets and setting (.npy) from a folder, prints times as JSON.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch


def main(folder):
    X, targets, setting = (np.load(folder / f"{k}.npy") for k in ("X", "targets", "setting"))
    n_members, n_hidden, epochs, repeats = (int(v) for v in setting[:4])
    s = float(setting[4])
    torch.set_num_threads(1)
    X, targets = torch.from_numpy(X), torch.from_numpy(targets)
    torch.manual_seed(0)
    members = [
        torch.nn.Sequential(
            torch.nn.Linear(X.shape[1], n_hidden),
            torch.nn.Tanh(),
            torch.nn.Linear(n_hidden, targets.shape[1]),
        ).to(X.dtype)
        for _ in range(n_members)
    ]
    optimiser = torch.optim.SGD([p for net in members for p in net.parameters()], lr=0.01)

    def train(epochs):
        for _ in range(epochs):
            optimiser.zero_grad()
            outputs = [net(X) for net in members]
            mean = sum(f.detach() for f in outputs) / n_members
            # The gradient of this loss by f_i is (1 - s) f_i + s f - d.
            loss = sum(
                (0.5 * (1 - s) * f**2 + f * (s * mean - targets)).sum(dim=1).mean() for f in outputs
            )
            loss.backward()
            optimiser.step()

    train(3)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        train(epochs)
        times.append((time.process_time() - start) / epochs)
    print(json.dumps({"seconds_per_epoch": times, "version": torch.__version__}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
