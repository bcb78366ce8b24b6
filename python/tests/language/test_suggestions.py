"""Names that are not there: the nearest one is named, and what only DALI has."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from forebay import Pipeline, fn, ops
from forebay import dynamic as ndd


@pytest.mark.parametrize(("module", "name"), [
    (fn, "optical_flow"), (fn, "video_reader"), (fn.decoders, "video"), (ops, "OpticalFlow"),
    (ops.readers, "Video"), (ndd, "optical_flow"), (ndd.decoders, "video"), (ndd.readers, "Video"),
])
def test_operators_that_only_dali_has(module: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no operator '{name}': DALI has it, Forebay not yet$"):
        getattr(module, name)


def test_a_folder_that_only_dali_has() -> None:
    with pytest.raises(AttributeError, match="'inputs': DALI has 'experimental.inputs.video', Forebay not yet"):
        fn.experimental.inputs


@pytest.mark.parametrize(("name", "said"), [
    ("inputs", "experimental.inputs.video"), ("video_resize", "readers.video_resize"), ("VideoResize", "readers.video_resize"),
])
def test_the_last_part_of_a_name_that_only_dali_has(name: str, said: str) -> None:
    for module in (fn, ops, ndd):
        with pytest.raises(AttributeError, match=f"has no operator '{name}': DALI has '{said}', Forebay not yet$"):
            getattr(module, name)


def test_readers_are_suggested_in_dynamic_mode() -> None:
    with pytest.raises(AttributeError, match=r"'Reader'; did you mean 'readers' \(readers\.C"):
        ndd.Reader
    with pytest.raises(AttributeError, match="'webdatset'; did you mean 'readers.Webdataset'"):
        ndd.webdatset


def test_arguments_of_a_pipeline() -> None:
    with pytest.raises(TypeError, match="Pipeline has no argument 'batch_sise'; did you mean 'batch_size'"):
        Pipeline(batch_sise=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Pipeline has no argument 'qqqq'$"):
        Pipeline(2, 1, qqqq=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Pipeline has no argument 'seld'; did you mean 'seed'"):
        Pipeline(seld=1)  # type: ignore[call-arg]
    assert "batch_size" in inspect.signature(Pipeline).parameters and "kwargs" not in inspect.signature(Pipeline).parameters


def test_a_pipeline_of_ones_own_may_take_others() -> None:
    class Own(Pipeline):
        def __init__(self, folder: str, **arguments: Any) -> None:
            super().__init__(**arguments)
            self.folder = folder

    assert Own("photos", batch_size=2).folder == "photos"
    with pytest.raises(TypeError, match="did you mean 'num_threads'"):
        Own("photos", num_thread=2)
