"""Cases that end badly, for the attack's own test: its processes import nothing else."""

import os
import signal


def die(name, seed):
    """Stand for a case: the first kills its process, the second never ends, others are fine."""
    if seed == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    while seed == 1:
        pass
    return "answer", ""
