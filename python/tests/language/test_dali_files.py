"""Pipelines that DALI saved: what is read, what is refused by the operator's name, and that no bytes break the reader.
`tests/parity/test_saved_pipelines.py` reads what DALI itself has written."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest
from dali_messages import argument, block, number, operator, pipeline, real, source, tensor, varint
from hypothesis import given, settings
from hypothesis import strategies as st

import forebay
from forebay import Pipeline, types
from forebay.dali_files import wire
from forebay.errors import InvalidError

PICTURES = [np.arange(24, dtype=np.uint8).reshape(2, 4, 3) + place for place in range(3)]

FLIPPED = pipeline(
    [
        source("x", layout="HWC"),
        operator("_ArithmeticGenericOp", "__sum", ["x"], expression_desc="add(&0 $0:int32)", integer_constants=[300]),
        operator("Flip", "__flip", ["__sum"], horizontal=1, _display_name="flip", _origin_stack_lineno=[5]),
        operator("Cast", "named", ["__flip"], dtype=int(types.FLOAT), preserve_name=True),
    ],
    ["named", "x"],
    number(9, 12) + number(10, 1) + number(13, 3) + number(14, 3) + number(99, 7) + block(98, b"of later versions"),
)


def run(pipe: Pipeline, **feeds: Any) -> list[np.ndarray]:
    return [np.stack([np.array(output.at(place)) for place in range(len(output))]) for output in pipe.run(**feeds)]


def test_a_pipeline_with_its_arguments() -> None:
    pipe = Pipeline.deserialize(FLIPPED)
    assert (pipe.max_batch_size, pipe.num_threads, pipe.seed, pipe.device_id, pipe.prefetch_queue_depth) == (3, 2, 12, None, 3)
    flipped, given_back = run(pipe, x=PICTURES)
    np.testing.assert_array_equal(flipped, np.stack(PICTURES)[:, :, ::-1].astype(np.float32) + 300)
    np.testing.assert_array_equal(given_back, PICTURES)
    assert [node["name"] for node in pipe._graph.nodes() if node["op"] == "cast"] == ["named"]
    assert pipe.checkpoint()


def test_arguments_given_replace_those_saved(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "saved"
    file.write_bytes(FLIPPED)
    pipe = Pipeline.deserialize(filename=str(file), batch_size=1, num_threads=1, seed=4)
    assert (pipe.max_batch_size, pipe.num_threads, pipe.seed) == (1, 1, 4)
    larger = Pipeline(batch_size=5)
    larger.deserialize_and_build(FLIPPED)
    assert (larger.max_batch_size, larger.num_threads, larger.seed) == (5, 2, 12)


def test_what_was_read_is_saved_in_the_own_format() -> None:
    again = Pipeline.deserialize(Pipeline.deserialize(FLIPPED).serialize())
    for first, second in zip(run(again, x=PICTURES), run(Pipeline.deserialize(FLIPPED), x=PICTURES), strict=True):
        np.testing.assert_array_equal(first, second)


def test_promises_are_kept() -> None:
    promised = number(2, 1) + block(5, source("x")) + block(7, tensor("x", dtype=int(types.UINT8), ndim=2))
    assert Pipeline.deserialize(promised).output_dtype() == [types.UINT8]
    into = Pipeline()
    into.deserialize_and_build(promised)
    assert (into.output_ndim(), into.num_threads) == ([2], 4)
    with pytest.raises(RuntimeError):
        into.run(x=[np.zeros(3, np.uint8)])


def test_branches() -> None:
    branching = pipeline(
        [
            source("p"), source("x"),
            operator("_conditional__Split", "s", ["x"], ["s[0]", "s[1]"], tensors={"predicate": "p"}, _if_stmt=True),
            operator("_ArithmeticGenericOp", "a", ["s[0]"], expression_desc="mul(&0 $0:int32)", integer_constants=[10]),
            operator("_conditional__Not_", "n", ["s[1]"]),
            operator("_conditional__Merge", "m", ["a", "s[1]"], tensors={"predicate": "p"}),
        ],
        ["m"],
    )
    (merged,) = run(Pipeline.deserialize(branching), p=[np.array(value) for value in (True, False, True)], x=np.int32([1, 2, 3]))
    assert merged.tolist() == [10, 2, 30]


def test_numbers_in_one_block() -> None:
    """Protocol buffers have two ways to write lists of numbers; readers must know both."""
    packed = block(1, "shape") + block(2, "int64") + block(4, varint(7) + varint(-1))
    schema = wire.Schema("A", {
        1: wire.Field("name", wire.TEXT), 3: wire.Field("floats", wire.FLOAT, repeated=True),
        4: wire.Field("ints", wire.INTEGER, repeated=True), 6: wire.Field("bools", wire.BOOLEAN, repeated=True),
    })
    message = wire.decode(schema, packed + number(4, 5) + block(3, real(0, 1.5)[1:] * 2) + block(6, b"\x01\x00"))
    assert message == {"name": "shape", "floats": [1.5, 1.5], "ints": [7, -1, 5], "bools": [True, False]}


def one(*arguments: bytes, schema: str = "Flip", inputs: tuple[str, ...] = ("x",), device: str = "cpu") -> bytes:
    """A pipeline of a source and one operator."""
    node = operator(schema, "it", inputs, device=device) + b"".join(block(4, each) for each in arguments)
    return pipeline([source("x"), node], ["it"])


ARITHMETIC = {"schema": "_ArithmeticGenericOp"}


@pytest.mark.parametrize(
    "data, words",
    [
        (one(schema="OpticalFlow"), r"OpticalFlow \('it'\).*operator that is not here"),
        (one(schema="PythonFunctionImpl"), r"PythonFunctionImpl \('it'\).*Python function"),
        (one(device="tpu"), r"Flip \('it'\).*'tpu', which is none"),
        (one(argument("stride", 2)), r"Flip \('it'\).*no argument 'stride'"),
        (one(argument("horizontal", "much")), r"Flip \('it'\).*horizontal"),
        (one(inputs=("y",)), r"Flip \('it'\).*no operator before it gives its tensor 'y'"),
        (one(inputs=("x", "x")), r"Flip \('it'\).*takes 1 inputs, not 2"),
        (one(argument("expression_desc", "add(&0 &1)"), **ARITHMETIC), "has an operand &1, which it was not given"),
        (one(argument("expression_desc", "add(" * 100), **ARITHMETIC), "no arithmetic expression"),
        (one(argument("expression_desc", "add(&0 &0) &0"), **ARITHMETIC), "no arithmetic expression"),
        (one(argument("expression_desc", "join(&0 &0)"), **ARITHMETIC), "join"),
        (one(argument("expression_desc", "$0:int32"), argument("integer_constants", [1]), **ARITHMETIC), "no arithmetic"),
        (one(**ARITHMETIC), "expression_desc"),
        (one(schema="_conditional__Split"), "predicate"),
        (one(block(1, "axes") + block(2, "int64")), "'axes' of type 'int64' has 0 values"),
        (one(block(1, "a") + number(4, 1) + number(4, 2)), "'a' of type '' has 2 values"),
        (pipeline([source("x"), source("x")], ["x"]), "'x'"),
        (pipeline([source("x")], ["y"]), "outputs of a pipeline.*'y'"),
        (pipeline([source("x", device="mixed")], ["x"]), r"ExternalSource \('x'\).*'mixed'"),
        (pipeline([operator("Constant", "c", idata=[1], shape=[1 << 40])], ["c"]), r"Constant \('c'\).*1099511627776 elements"),
        (pipeline([operator("Constant", "c", shape=[1 << 40])], ["c"]), r"Constant \('c'\)"),
        (number(1, 2), "has no 'batch_size'"),
        (number(2, 1) + block(5, source("x")) + block(7, tensor("x") + block(7, b"\xff")), "has the layout"),
        (one(argument("expression_desc", "z" * 9999), **ARITHMETIC), r"zz\.\.\.' is no arithmetic"),
        (number(2, 0), "batch_size is 0; from 1 to 2147483647"),
        (number(2, 1) + number(1, 1 << 40), "num_threads is 1099511627776"),
        (number(2, 1) + number(13, 1 << 40), "cpu_depth is 1099511627776"),
        (number(2, 1) + block(5, block(5, "nameless")), "has no 'schema'"),
        (number(2, 1) + block(5, b"\x0b"), "byte 4: .*wire type 3"),
        (number(2, 1) + number(5, 3), "'operators' has the wire type 0"),
        (number(2, 1) + b"\x2a\xff\x01", "field 5 is longer than the message"),
        (number(2, 1) + b"\x2a\xff", "ends inside of a number"),
        (number(2, 1) + b"\x00\x00", "cannot have the number 0"),
        (number(1, 2) + b"\x10" + b"\xff" * 10 + b"\x01", "more than 64 bits"),
        (number(2, 1) + b"\x1d\x00", "field 3 is longer"),
    ],
)
def test_what_cannot_be_had_is_named(data: bytes, words: str) -> None:
    with pytest.raises(InvalidError, match=words):
        Pipeline.deserialize(data)


def devices_of(pipe: Pipeline) -> list[tuple[str, str, list[Any]]]:
    return [(node["op"], node["device"], node["inputs"]) for node in pipe._graph.nodes()]


def test_devices_are_those_of_the_file() -> None:
    """DALI writes down no copy from one device to another: the same tensor is taken on both."""
    loaded = Pipeline.deserialize(pipeline(
        [
            source("x"),
            operator("decoders__Image", "__image", device="mixed", tensors={}).replace(
                block(3, tensor("__image", "mixed")), block(2, tensor("x")) + block(3, tensor("__image", "gpu"))
            ),
            operator("Flip", "__flip", ["__image"], device="gpu"),
            operator("_ArithmeticGenericOp", "__sum", ["__image"], device="gpu", expression_desc="add(&0 $0:int32)",
                     integer_constants=[1]),
            operator("Flip", "__other", ["__image"]),
            operator("Flip", "__third", ["__image"]),
        ],
        ["__other", "__third", "x"],
    ).replace(block(7, tensor("x")), block(7, tensor("x", "gpu")) + block(7, tensor("__flip", "gpu"))))
    with Pipeline(batch_size=3) as written:
        x = forebay.fn.external_source(name="x")
        images = forebay.fn.decoders.image(x, device="mixed")
        flipped = forebay.fn.flip(images)
        images + 1
        on_cpu = images.cpu()
        written.set_outputs(forebay.fn.flip(on_cpu), forebay.fn.flip(on_cpu), x.gpu(), flipped)
    assert devices_of(loaded) == devices_of(written)
    assert loaded._graph.outputs() == written._graph.outputs()


def test_a_large_constant() -> None:
    """DALI writes each element as a message."""
    values = [place % 251 for place in range(100_000)]
    large = pipeline([operator("Constant", "c", idata=values, shape=[100, 1000], dtype=int(types.UINT8))], ["c"])
    (output,) = run(Pipeline.deserialize(large))
    np.testing.assert_array_equal(output[0], np.uint8(values).reshape(100, 1000))


def test_branches_inside_of_branches_have_a_limit() -> None:
    rows = [source("p"), source("x")]
    before = {"predicate": "p", "value": "x"}
    for place in range(70):
        parts = [f"{name}{place}[{side}]" for name in "ps" for side in (0, 1)]
        rows += [
            operator("_conditional__Split", f"p{place}", [before["predicate"]], parts[:2], tensors={"predicate": before["predicate"]}),
            operator("_conditional__Split", f"s{place}", [before["value"]], parts[2:], tensors={"predicate": before["predicate"]}),
        ]
        before = {"predicate": parts[0], "value": parts[2]}
    with pytest.raises(InvalidError, match="inside of 65 branches; at most 64"):
        Pipeline.deserialize(pipeline(rows, ["x"]))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = b""
    for _ in range(wire.MAX_DEPTH + 1):
        nested = block(1, "deep") + block(7, nested)
    with pytest.raises(InvalidError, match="nested more than 16 deep"):
        Pipeline.deserialize(one(nested))
    many = one(argument("values", [1] * 100))
    monkeypatch.setattr(wire, "MAX_FIELDS", 50)
    with pytest.raises(InvalidError, match="more than 50 fields"):
        Pipeline.deserialize(many)
    with pytest.raises(InvalidError, match="more than 50 fields"):
        wire.decode(wire.Schema("A", {1: wire.Field("ints", wire.INTEGER, repeated=True)}), block(1, b"\x01" * 60))


def test_the_two_formats_are_told_apart() -> None:
    own = forebay.Pipeline(batch_size=1)
    with own:
        own.set_outputs(forebay.fn.external_source(name="x"))
    text = own.serialize()
    assert json.loads(text)["arguments"]["batch_size"] == 1
    assert Pipeline.deserialize(text).max_batch_size == Pipeline.deserialize(text.decode()).max_batch_size == 1
    for wrong in (b"", b"\x0a\x01x", b"{}", "\x08\x01", b"\xff\xd8\xff\xe0"):
        with pytest.raises(ValueError):
            Pipeline.deserialize(wrong)


def assert_read_or_refused(data: bytes) -> None:
    try:
        Pipeline.deserialize(data)
    except InvalidError:
        pass


WHOLE = [FLIPPED, one(argument("horizontal", 1)), pipeline(
    [source("x"), operator("_conditional__Split", "s", ["x"], ["a", "b"], tensors={"predicate": "x"}),
     operator("_conditional__Merge", "m", ["a", "b"], tensors={"predicate": "x"}),
     operator("_TensorSubscript", "t", ["m"], at_0=1, num_subscripts=1),
     operator("Resize", "r", ["t"], size=[3.0, 4.0], interp_type=2), operator("random__Uniform", "u", range=[0.0, 1.0])],
    ["r", "u"],
)]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300).map(lambda data: b"\x10" + data))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    assert_read_or_refused(data)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(WHOLE), st.data())
def test_damaged_pipelines_are_read_or_refused(whole: bytes, data: Any) -> None:
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        change = data.draw(st.sampled_from(("set", "cut", "double", "drop")))
        if change == "set":
            damaged[place] = data.draw(st.integers(0, 255))
        elif change == "cut":
            del damaged[place + 1 :]
        elif change == "double":
            damaged[place:place] = damaged[place : place + data.draw(st.integers(1, 40))]
        else:
            del damaged[place : place + data.draw(st.integers(1, 40))]
        if not damaged:
            break
    assert_read_or_refused(bytes(damaged))


def test_cut_off_anywhere() -> None:
    for end in range(len(FLIPPED)):
        assert_read_or_refused(FLIPPED[:end])
