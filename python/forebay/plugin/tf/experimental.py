"""What DALI has under this name: data sets as inputs of a pipeline."""

from .dataset import DALIDatasetWithInputs, Input

__all__ = ["DALIDatasetWithInputs", "Input"]
