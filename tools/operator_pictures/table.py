"""Every operator: the row that says how it is shown, or the reason why no picture shows it."""

from __future__ import annotations

from operator_pictures import (
    box_rows,
    colour_rows,
    filter_rows,
    geometry_rows,
    mask_rows,
    number_rows,
    sequence_rows,
    sound_rows,
)
from operator_pictures.row import Row

ROWS: dict[str, Row] = {
    **box_rows.ROWS,
    **colour_rows.ROWS,
    **filter_rows.ROWS,
    **geometry_rows.ROWS,
    **mask_rows.ROWS,
    **number_rows.ROWS,
    **sequence_rows.ROWS,
    **sound_rows.ROWS,
}

# What an operator is about where a look says nothing.
WITHOUT = {
    "bytes": ("decoders.inflate", "decoders.numpy", "io.file.read"),
    "copies": ("copy", "dump_image"),
    "numbers": (
        "cast", "cast_like", "constant", "full", "full_like", "get_property", "ones", "ones_like", "peek_image_shape",
        "shapes", "zeros", "zeros_like",
    ),
    "readers": (
        "experimental.readers.fits", "readers.caffe", "readers.caffe2", "readers.coco", "readers.file", "readers.mds",
        "readers.mxnet", "readers.nemo_asr", "readers.numpy", "readers.parquet", "readers.sequence", "readers.tfrecord",
        "readers.webdataset",
    ),
    "samples": ("keep",),
    "shapes": ("expand_dims", "per_frame", "reinterpret", "reshape", "squeeze", "stack"),
}


def named_wrongly(operators: list[str]) -> list[str]:
    """Operators with neither a row nor a reason, or with both, and names that are no operator's."""
    reasons = [name for names in WITHOUT.values() for name in names]
    findings = []
    for name in sorted({*operators, *ROWS, *reasons}):
        count = (name in ROWS) + reasons.count(name)
        if name not in operators:
            findings.append(f"tools/operator_pictures names {name}, which is no operator")
        elif count != 1:
            what = "has neither a row nor a reason to have none" if count == 0 else "is named twice"
            findings.append(f"fn.{name} {what} in tools/operator_pictures")
    return findings
