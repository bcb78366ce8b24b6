"""Errors that a model's code raises, as the server is told of them."""

import traceback


class ModelFault(Exception):
    """An error with a code of its own, which is the name of a status: "INVALID_ARGUMENT"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def code_of(error: BaseException) -> str:
    """An error may say it by itself: any exception with an attribute `code`, as "INVALID_ARGUMENT"."""
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return code
    if isinstance(error, MemoryError):
        return "RESOURCE_EXHAUSTED"
    if isinstance(error, NotImplementedError):
        return "UNIMPLEMENTED"
    return "INTERNAL"


def text_of(error: BaseException, model: str) -> str:
    """The error, and the last line of the model's own file that it came through."""
    try:
        said = str(error)
    except Exception:  # the model's own class may fail at that too
        said = "(what it says cannot be made text)"
    if isinstance(error, ModelFault):
        return said
    text = f"{type(error).__name__}: {said}"
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == model]
    return f"{text} ({model}:{lines[-1].lineno}, in {lines[-1].name})" if lines else text
