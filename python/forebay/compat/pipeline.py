"""What scripts find under `nvidia.dali.pipeline`."""

import sys

from ..data_node import DataNode
from ..pipeline import Pipeline
from ..pipeline_definition import do_not_convert, pipeline_def

__all__ = ["DataNode", "Pipeline", "do_not_convert", "experimental", "pipeline_def"]

experimental = sys.modules[__name__]
