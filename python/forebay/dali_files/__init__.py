"""Files of DALI's: its serialised pipelines, which `Pipeline.deserialize` reads."""

from __future__ import annotations

from typing import Any, Mapping

from ..graph.saved_pipeline import also_reads
from ..graph.writer import GraphWriter
from .pipeline_file import is_one, read
from .rebuild import rebuild


class DaliPipeline:
    """A pipeline that DALI saved."""

    def __init__(self, data: bytes) -> None:
        self._file = read(data)
        self.arguments: Mapping[str, Any] = self._file.arguments

    def put_into(self, pipeline: GraphWriter) -> None:
        with pipeline._writing():
            pipeline.set_outputs(*rebuild(self._file, pipeline))


also_reads(is_one, DaliPipeline)
