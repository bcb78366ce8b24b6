"""Where contenders run: the project's own .venv, the peers' environments under .peers/, built C++ programs."""

import ast
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What an environment must be able to import; benchmarks/peers/NAME.txt pins what it holds.
PEERS = {
    "dali": ("nvidia.dali", "cv2", "PIL"),
    "audio": ("torch", "torchaudio", "librosa"),
    "torch": ("torch", "torchvision", "cv2", "PIL"),
    "s3": ("s3fs", "s3torchconnector", "streaming", "webdataset"),
    "imagecodecs": ("imagecodecs", "PIL"),
    "tf": ("tensorflow",),
    "mxnet": ("mxnet",),
    "spark": ("pyspark",),
    "pytriton": ("pytriton", "nvidia.dali", "onnxruntime"),
    "mlserver": ("mlserver", "nvidia.dali", "onnxruntime"),
    "serving": ("tritonclient.http", "tritonclient.grpc", "onnxruntime", "onnx", "PIL"),
}
# Where C++ contenders are looked for; FOREBAY_BUILD names another folder first.
BUILDS = ("build/release", "build/dev")


def python_of(environment: str) -> pathlib.Path:
    folder = ROOT / ".venv" if environment == "forebay" else ROOT / ".peers" / environment
    return folder / "bin" / "python"


def usable(environment: str) -> bool:
    """Whether the environment exists and imports what it is for."""
    python = python_of(environment)
    modules = PEERS.get(environment, ("numpy",))
    if not python.exists():
        return False
    command = [str(python), "-c", "import " + ", ".join(modules)]
    return subprocess.run(command, capture_output=True, check=False, env=quiet()).returncode == 0


def make(environment: str) -> None:
    """Makes the peer's environment from its pinned list unless it is usable already."""
    requirements = ROOT / "benchmarks" / "peers" / f"{environment}.txt"
    command = [str(ROOT / "tools" / "environment.sh"), f".peers/{environment}", str(requirements)]
    made = subprocess.run(command, check=False).returncode == 0
    told = "cannot be fetched" if not made else "present" if usable(environment) else "installed, but does not import"
    print(f"{environment}: {told}", flush=True)


def quiet(sees_gpu: bool = False) -> dict[str, str]:
    """The environment variables of a contender: no chatter, and no GPU unless its row is about one."""
    own = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": "1"}
    if not sees_gpu:
        own["CUDA_VISIBLE_DEVICES"] = ""
    path = [str(ROOT / "benchmarks" / "harness"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **own, "PYTHONPATH": os.pathsep.join(path)}


def environment_of(script: pathlib.Path) -> str:
    """The value of the script's ENVIRONMENT = "..." line."""
    for statement in ast.parse(script.read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "ENVIRONMENT":
            return str(ast.literal_eval(statement.value))
    raise ValueError(f"{script}: no ENVIRONMENT line")


def library_of(environment: str, name: str) -> str:
    """A shared library of a peer's wheel, below its site-packages; or text that says that it is not there."""
    found = sorted(ROOT.glob(f".peers/{environment}/lib/python*/site-packages/{name}"))
    return str(found[0]) if found else f".peers/{environment} is not made: `make peers`"


def pinned_version(environment: str, package: str) -> str:
    """The version of the package that the environment's list names."""
    lines = (ROOT / "benchmarks" / "peers" / f"{environment}.txt").read_text().split()
    return dict(line.split("==") for line in lines if "==" in line)[package]


def contenders(folder: pathlib.Path, wanted: set[str] | None = None) -> dict[str, list[str]]:
    """{name: command} of the contenders of a benchmark, or of those `wanted`; an absent one has an empty command."""
    found: dict[str, list[str]] = {}
    checked: dict[str, bool] = {}
    places = [os.environ["FOREBAY_BUILD"], *BUILDS] if "FOREBAY_BUILD" in os.environ else BUILDS
    sources = [path for path in sorted(folder.iterdir()) if wanted is None or path.stem in wanted]
    for source in (path for path in sources if path.suffix == ".cc"):
        programs = (ROOT / build / "benchmarks" / folder.name / source.stem for build in places)
        program = next((program for program in programs if program.exists()), None)
        found[source.stem] = [str(program)] if program else []
    for script in (path for path in sources if path.suffix == ".py"):
        environment = environment_of(script)
        if environment not in checked:
            checked[environment] = usable(environment)
        found[script.stem] = [str(python_of(environment)), "-P", str(script)] if checked[environment] else []
    return found


if __name__ == "__main__":
    for name in sys.argv[1:] or PEERS:
        make(name)
