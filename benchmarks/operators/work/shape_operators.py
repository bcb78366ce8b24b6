"""Operators on shapes, on which samples there are, and on frames."""

from operator_table import measured

measured("cat", lambda lib, x, y: lib.fn.cat(x, y, axis=1), "photos", "photos_again")
measured("stack", lambda lib, x, y: lib.fn.stack(x, y), "photos", "photos_again")
measured("pad of ragged", lambda lib, x: lib.fn.pad(x), "ragged")
measured("permute_batch", lambda lib, x: lib.fn.permute_batch(x, indices=[(5 * i) % 32 for i in range(32)]), "boxes")
measured("reshape", lambda lib, x: lib.fn.reshape(x, shape=[-1]), "boxes")
measured("expand_dims", lambda lib, x: lib.fn.expand_dims(x, axes=[0]), "boxes")
measured("squeeze", lambda lib, x: lib.fn.squeeze(x, axes=[0]), "classes")
measured("shapes", lambda lib, x: lib.fn.shapes(x), "photos")
measured("get_property", lambda lib, x: lib.fn.get_property(x, key="layout"), "photos")
measured("subscript", lambda lib, x: x[10:400, 20:600], "photos")

measured("element_extract", lambda lib, x: lib.fn.element_extract(x, element_map=[1, 5]), "videos")
measured("sequence_rearrange", lambda lib, x: lib.fn.sequence_rearrange(x, new_order=[7, 3, 0, 1]), "videos")
measured("per_frame", lambda lib, x: lib.fn.per_frame(x), "videos")
