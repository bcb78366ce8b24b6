"""What scripts find under `mxnet.util`."""


def is_np_array() -> bool:
    """NumPy's interface is not offered."""
    return False


is_np_shape = is_np_array
