"""One training job over a remote store, fed in three ways: all is copied first, each epoch is read from the store, or the
host's cache is filled on the way. A run gives one table and one picture; the contenders are those of `job/`."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import pathlib
import sys
import tempfile
from typing import Any

import environments
import remote_job
import remote_store
import runner
import table
import three_ways_picture
import training_job

sys.path.insert(0, str(environments.ROOT / "examples"))

import make_photos  # noqa: E402
import numpy  # noqa: E402
from PIL import Image  # noqa: E402
from progress import Progress  # noqa: E402

FIRST_BYTE_S = 0.02
FASTEST_BYTES_PER_SECOND = 20e6
# A step's time, of what the wire needs for a batch: who reads all of an epoch from the store then idles for 0.6 of it.
STEP_SHARE = 0.4
PICTURE_SIZE = (512, 384)
QUALITY = 92
MOUNT = "/data/train"

# By contender, in the order of the table.
WAYS = {"synthetic": "synthetic, the ceiling", "copy_first": "1 copy first", "read_direct": "2 read direct",
        "forebay": "3 orchestrated"}
PEERS = {"webdataset_curl": "WebDataset", "mosaicml": "MosaicML Streaming",
         "torch_s3torchconnector": "s3torchconnector", "torch_s3fs": "s3fs + DataLoader"}
COLUMNS = {"first_step_s": ("first step, s", "{:.2f}"), "idle_1": ("idle 1, %", "{:.1f}"),
           "idle_2": ("idle 2, %", "{:.1f}"), "requests": ("requests", "{:,.0f}"),
           "upstream_mb": ("MB upstream", "{:.1f}"), "job_s": ("total, s", "{:.2f}")}

Report = dict[str, Any]


def make_picture(path: pathlib.Path, number: int) -> None:
    if path.exists():
        return
    scene = make_photos.scene(make_photos.CLASSES[number % len(make_photos.CLASSES)], numpy.random.default_rng(number))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    Image.fromarray(scene).resize(PICTURE_SIZE, Image.Resampling.BICUBIC).save(partial, "JPEG", quality=QUALITY)
    partial.rename(path)


def pictures(folder: pathlib.Path, count: int) -> dict[str, pathlib.Path]:
    """So many JPEG files of one size by their keys, which are their paths in the folder, too; kept for later runs."""
    keys = [f"train/{number % len(make_photos.CLASSES)}/{number:05}.jpg" for number in range(count)]
    files = {key: folder / key for key in keys}
    with concurrent.futures.ProcessPoolExecutor(remote_job.WORKERS) as pool:
        made = pool.map(make_picture, files.values(), range(count))
        for _ in Progress(made, "making pictures", total=count):
            pass
    return files


def wire_and_step(bytes_a_batch: float, local_s: float) -> tuple[float, float]:
    """The wire's bytes a second, and the seconds of a step: STEP_SHARE of what the wire needs for a batch, and no less
    than a loader that reads local files keeps up with. Where that is too slow for the wire, the wire is slowed, too."""
    step_s = max(remote_job.SLOWER * local_s, STEP_SHARE * bytes_a_batch / FASTEST_BYTES_PER_SECOND)
    return min(FASTEST_BYTES_PER_SECOND, STEP_SHARE * bytes_a_batch / step_s), step_s


def row_of(stack: contextlib.ExitStack, arguments: argparse.Namespace, with_shards: bool) -> runner.Row:
    """The job's data behind its wire."""
    folder = arguments.out / f"pictures-{arguments.photos}"
    files = pictures(folder, arguments.photos)
    runner.say("measuring a batch from local files")
    local_s = remote_job.seconds_a_batch(folder / "train")
    total = sum(path.stat().st_size for path in files.values())
    speed, step_s = wire_and_step(total / arguments.photos * training_job.BATCH_SIZE, local_s)
    place = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
    runner.say("storing the pictures")
    row = remote_job.row_of(stack, files, FIRST_BYTE_S, speed, step_s, place / "counter", with_shards)
    timelines = place / "timelines"
    timelines.mkdir()
    return {**row, "mount": MOUNT, "timelines": str(timelines), "bytes_per_second": speed, "local_batch_s": local_s}


def measured(row: runner.Row, names: dict[str, str], arguments: argparse.Namespace) -> tuple[Report, int]:
    """Runs the contenders; the report and the exit status."""
    task = argparse.Namespace(data=str(arguments.out), rounds=arguments.rounds, seconds=0, only=",".join(names),
                              rows=None, no_check=True)
    job = runner.Benchmark(environments.ROOT / "benchmarks" / "job", lambda data: {"job": row}, "", "none", 1, task)
    report = job.measure()
    ways = {}
    for name in (name for name in names if name in report["contenders"]):
        timeline = json.loads(pathlib.Path(row["timelines"], f"{name}.json").read_text())
        ways[name] = {"title": names[name], **report["contenders"][name]["rows"]["job"],
                      "versions": report["contenders"][name]["versions"], "timeline": timeline}
    absent = {names[name]: why for name, why in report["absent"].items()}
    shared = {name: row[name] for name in ("step_s", "local_batch_s", "bytes_per_second", "bytes")}
    return {**shared, "first_byte_s": FIRST_BYTE_S, "pictures": len(row["keys"]), "epochs": training_job.EPOCHS,
            "batch_size": training_job.BATCH_SIZE, "machine": report["machine"], "ways": ways,
            "absent": absent}, job.status()


def described(report: Report) -> list[str]:
    """The job and its surroundings."""
    machine = report["machine"]
    rounds = machine["rounds"]
    wire_s = report["bytes"] / report["pictures"] * report["batch_size"] / report["bytes_per_second"]
    return [
        f"{report['pictures']} pictures of {PICTURE_SIZE[0]}x{PICTURE_SIZE[1]}, {report['bytes'] / 1e6:.1f} MB, "
        f"{report['epochs']} epochs of batches of {report['batch_size']}; versitygw behind "
        f"{report['first_byte_s'] * 1e3:.0f} ms and {report['bytes_per_second'] / 1e6:.1f} MB/s",
        f"a step takes {report['step_s'] * 1e3:.1f} ms: {report['step_s'] / wire_s:.2f} of the wire's time for a "
        f"batch, {report['step_s'] / report['local_batch_s']:.2f} of what a batch costs from local files",
        f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}, forebay {machine['forebay']} "
        f"({machine['revision']}), "
        + ("one round" if rounds == 1 else f"medians of {rounds} rounds"),
    ]


def lines_of(report: Report) -> list[list[str]]:
    return [[way["title"], *(form.format(way[metric]) for metric, (_, form) in COLUMNS.items())]
            for way in report["ways"].values()]


def text(report: Report, markdown: bool) -> str:
    header = ["", *(title for title, _ in COLUMNS.values())]
    lines = [*described(report), "", *table.grid(header, lines_of(report), markdown)]
    return "\n".join([*lines, *(f"absent: {name} ({why})" for name, why in report["absent"].items())])


def main(description: str, names: dict[str, str], photos: int, rounds: int, out: pathlib.Path) -> int:
    """A program: its description, its contenders, and its defaults. The exit status: 1 if one of the ways failed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=out, help=f"where the picture goes ({out})")
    parser.add_argument("--photos", type=int, default=photos, help=f"whole batches of them ({photos})")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"their medians count ({rounds})")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--markdown", action="store_true", help="print a Markdown table")
    arguments = parser.parse_args()
    if arguments.photos <= 0 or arguments.photos % training_job.BATCH_SIZE or arguments.rounds <= 0:
        parser.error(f"--photos is a multiple of {training_job.BATCH_SIZE}, --rounds at least 1")
    if not remote_store.is_there():
        parser.error("no versitygw: run `make servers` first")
    with contextlib.ExitStack() as stack:
        row = row_of(stack, arguments, with_shards=names.keys() > WAYS.keys())
        report, status = measured(row, names, arguments)
    if status != 0:
        return status
    picture = arguments.out / "three_ways.png"
    three_ways_picture.draw(picture, described(report), [title for title, _ in COLUMNS.values()],
                            list(zip(lines_of(report), report["ways"].values(), strict=True)),
                            [way["timeline"]["end_s"] for name, way in report["ways"].items() if name in WAYS])
    report["picture"] = str(picture)
    print(json.dumps(report, indent=1) if arguments.json else f"{text(report, arguments.markdown)}\nsee {picture}")
    return 1 if WAYS.keys() - report["ways"].keys() else 0
