"""Operators that move or resample pixels."""

from operator_table import measured

MEAN = [123.7, 116.3, 103.5]
STD = [58.4, 57.1, 57.4]
MATRIX = [0.9, 0.1, 12.3, -0.08, 1.05, -7.9]
PERSPECTIVE = [1.0, 0.02, 3.7, -0.03, 1.0, 8.1, 1e-5, 2e-5, 1.0]

measured("flip along x", lambda lib, x: lib.fn.flip(x), "photos")
measured("flip along y", lambda lib, x: lib.fn.flip(x, horizontal=0, vertical=1), "photos")
measured("transpose", lambda lib, x: lib.fn.transpose(x, perm=[2, 0, 1]), "photos")
measured("crop", lambda lib, x: lib.fn.crop(x, crop=(224, 224), crop_pos_x=0.3), "photos")
measured("slice", lambda lib, x: lib.fn.slice(x, start=(40, 50), shape=(300, 400), axes=(0, 1)), "photos")
measured("slice padded", lambda lib, x: lib.fn.slice(x, start=(-40, -50), shape=(560, 740), axes=(0, 1), fill_values=9,
                                                     out_of_bounds_policy="pad"), "photos")
measured("crop_mirror_normalize", lambda lib, x: lib.fn.crop_mirror_normalize(
    x, crop=(224, 224), mirror=1, mean=MEAN, std=STD, dtype=lib.types.FLOAT), "photos", bar="close")
measured("erase", lambda lib, x: lib.fn.erase(x, anchor=[100, 100, 300, 400], shape=[90, 80, 60, 120], axes=(0, 1),
                                              fill_value=[1.0, 2.0, 3.0]), "photos")
measured("pad", lambda lib, x: lib.fn.pad(x, axes=(0, 1), shape=(512, 672), fill_value=7), "photos")
measured("paste", lambda lib, x: lib.fn.paste(x, ratio=1.5, fill_value=[10, 20, 30], paste_x=0.3, paste_y=0.6),
         "photos")
measured("multi_paste", lambda lib, x, ids, starts, shapes, places: lib.fn.multi_paste(
    x, in_ids=ids, output_size=[480, 640], in_anchors=starts, shapes=shapes, out_anchors=places),
    "photos", "pairs", "pasted_starts", "pasted_shapes", "pasted_places")

for filter_name, bar in (("NN", "nearest"), ("LINEAR", "bytes"), ("CUBIC", "bytes"), ("LANCZOS3", "bytes")):
    measured(f"resize {filter_name.lower()}", lambda lib, x, kind=f"INTERP_{filter_name}": lib.fn.resize(
        x, size=(224, 224), interp_type=getattr(lib.types, kind)), "photos", bar=bar)
measured("resize linear, plain", lambda lib, x: lib.fn.resize(x, size=(224, 224), antialias=False), "photos",
         bar="bytes")
measured("resize growing", lambda lib, x: lib.fn.resize(x, size=(500, 500)), "small_photos", bar="bytes")
measured("resize of floats", lambda lib, x: lib.fn.resize(x, size=(160, 160)), "float_photos", bar="close")
measured("tensor_resize", lambda lib, x: lib.fn.tensor_resize(x, sizes=[3, 160, 160]), "float_planes", bar="close")
for name in ("resize_crop_mirror", "fast_resize_crop_mirror"):
    measured(name, lambda lib, x, name=name: getattr(lib.fn, name)(
        x, resize_shorter=250, crop=(224, 224), mirror=1), "photos", bar="bytes")
measured("random_resized_crop", lambda lib, x: lib.fn.random_resized_crop(x, size=(224, 224)), "photos", bar="drawn")
measured("random_crop_generator", lambda lib, x: lib.fn.random_crop_generator(x), "picture_shapes", bar="drawn")

measured("rotate", lambda lib, x: lib.fn.rotate(x, angle=20.0, fill_value=0), "photos", bar="bytes")
measured("rotate nearest, same size", lambda lib, x: lib.fn.rotate(
    x, angle=20.0, keep_size=True, interp_type=lib.types.INTERP_NN), "photos", bar="nearest")
measured("warp_affine", lambda lib, x: lib.fn.warp_affine(x, matrix=MATRIX, fill_value=0), "photos", bar="bytes")
measured("experimental.warp_perspective", lambda lib, x: lib.fn.experimental.warp_perspective(x, matrix=PERSPECTIVE),
         "photos", bar="bytes")
measured("water", lambda lib, x: lib.fn.water(x), "photos", bar="bytes")
measured("water nearest", lambda lib, x: lib.fn.water(x, interp_type=lib.types.INTERP_NN), "photos", bar="nearest")
measured("sphere", lambda lib, x: lib.fn.sphere(x), "photos", bar="bytes")
