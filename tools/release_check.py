"""Build wheel and sdist, look into them, install the wheel into an empty environment and try it.

Archives that pass are put into ``dist/``, from where the release is published: what was tried is
what people get.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "dist"
LARGEST = 8e6  # bytes of a wheel: data sets and pages are in it, nothing else is large
TRIAL = """
import importlib, pkgutil, sys
import counterpoint
for module in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
    if not module.name.endswith(("__main__", ".torch", "studio.widget")):
        importlib.import_module(module.name)
from counterpoint.datasets import load
load("iris").frame.to_csv("iris.csv", index=False)
print(counterpoint.__version__)
"""


def run(*words, **options) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}")
    return done.stdout.strip()


def look_into(wheel: Path, sdist: Path) -> None:
    """Check that archives hold what they should, and nothing else."""
    names = zipfile.ZipFile(wheel).namelist()
    strange = [n for n in names if not n.startswith("counterpoint/") and ".dist-info/" not in n]
    strange += [n for n in names if "/tests/" in n or n.endswith((".nbi", ".nbc", ".pyc"))]
    if strange:
        sys.exit(f"The wheel holds {strange[:5]}.")
    for needed in ("counterpoint/py.typed", "counterpoint/auto/portfolio.csv"):
        if needed not in names:
            sys.exit(f"The wheel lacks {needed}.")
    if wheel.stat().st_size > LARGEST:
        sys.exit(
            f"The wheel has {wheel.stat().st_size / 1e6:.1f} MB, {LARGEST / 1e6:g} is the most."
        )
    with tarfile.open(sdist) as archive:
        inside = archive.getnames()
    if any("/reproductions/" in name for name in inside):
        sys.exit("The sdist holds reproductions.")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files")
    print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB, {len(inside)} files")


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        tools, empty, dist = (Path(made) / name for name in ("tools", "empty", "dist"))
        for place in (tools, empty):
            venv.create(place, with_pip=True)
        pip = ("-m", "pip", "--disable-pip-version-check", "--quiet", "install")
        run(tools / "bin/python", *pip, "build", "twine")
        run(tools / "bin/python", "-m", "build", "--outdir", dist, ROOT)
        (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        look_into(wheel, sdist)
        print(run(tools / "bin/python", "-m", "twine", "check", "--strict", wheel, sdist))
        run(empty / "bin/python", *pip, wheel)
        version = run(empty / "bin/python", "-c", TRIAL, cwd=made)
        print(f"counterpoint {version}: every module imports with the core dependencies alone")
        run(empty / "bin/counterpoint", "--help", cwd=made)
        run(empty / "bin/counterpoint", "columns", "iris.csv", "--target", "class", cwd=made)
        run(empty / "bin/python", *pip, f"{wheel}[skops]")
        fit = "fit iris.csv --target class --method pruned-tree --report p.html"
        run(empty / "bin/counterpoint", *fit.split(), cwd=made)
        run(empty / "bin/counterpoint", "predict", "model.skops", "iris.csv", cwd=made)
        print("fit, a page and predict work from the wheel")
        shutil.rmtree(KEPT, ignore_errors=True)  # archives of other versions would be published too
        shutil.copytree(dist, KEPT)
        print(f"kept in {KEPT.relative_to(ROOT)}/")


if __name__ == "__main__":
    main()
