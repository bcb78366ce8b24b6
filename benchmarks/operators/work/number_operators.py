"""Arithmetic, casts, statistics, reductions, fills."""

from operator_table import measured

FUNCTIONS = ("sqrt", "exp", "log", "sin", "tanh", "floor")
BY_AXES = ("sum", "mean", "mean_square", "rms", "min", "max")

measured("arithmetic + number", lambda lib, x: x + 7, "photos")
measured("arithmetic * channels", lambda lib, x, y: x * y, "float_photos", "channel_means", bar="close")
measured("arithmetic + pictures", lambda lib, x, y: x + y, "photos", "photos_again")
measured("arithmetic (x - mean) / deviation", lambda lib, x: (x - 128.0) / 64.0, "small_photos", bar="close")
measured("arithmetic <", lambda lib, x: x < 128, "photos")
measured("math.clamp", lambda lib, x: lib.math.clamp(x, 20.0, 200.0), "float_photos", bar="close")
for function in FUNCTIONS:
    measured(f"math.{function}", lambda lib, x, function=function: getattr(lib.math, function)(x), "vectors",
             bar="close")
measured("cast to float", lambda lib, x: lib.fn.cast(x, dtype=lib.types.FLOAT), "small_photos")
measured("cast to bytes", lambda lib, x: lib.fn.cast(x, dtype=lib.types.UINT8), "float_photos")
measured("cast_like", lambda lib, x, y: lib.fn.cast_like(x, y), "small_photos", "scalars")

measured("normalize", lambda lib, x: lib.fn.normalize(x), "float_photos", bar="close")
measured("normalize channels", lambda lib, x: lib.fn.normalize(x, axes=(0, 1)), "small_photos", bar="close")
measured("normalize given", lambda lib, x: lib.fn.normalize(x, mean=120.0, stddev=60.0), "small_photos", bar="close")
measured("normalize batch", lambda lib, x: lib.fn.normalize(x, batch=True, axes=(0, 1)), "small_photos", bar="close")
for reduction in BY_AXES:
    measured(f"reductions.{reduction} of floats", lambda lib, x, reduction=reduction: getattr(
        lib.fn.reductions, reduction)(x), "float_photos", bar="close")
    measured(f"reductions.{reduction} of bytes, axes", lambda lib, x, reduction=reduction: getattr(
        lib.fn.reductions, reduction)(x, axes=(0, 1)), "small_photos", bar="close")
for reduction in ("variance", "std_dev"):
    measured(f"reductions.{reduction}", lambda lib, x, y, reduction=reduction: getattr(lib.fn.reductions, reduction)(
        x, y, axes=(0, 1)), "small_photos", "channel_means", bar="close")

measured("audio_resample", lambda lib, x: lib.fn.audio_resample(x, in_rate=44100.0, out_rate=16000.0), "ragged",
         bar="close")
measured("audio_resample best", lambda lib, x: lib.fn.audio_resample(x, scale=0.9, quality=100.0), "ragged", bar="close")

for fill in ("zeros", "ones"):
    measured(fill, lambda lib, fill=fill: getattr(lib.fn, fill)(shape=[224, 224, 3], dtype=lib.types.FLOAT))
    measured(f"{fill}_like", lambda lib, x, fill=fill: getattr(lib.fn, f"{fill}_like")(x), "small_photos")
measured("full", lambda lib, x: lib.fn.full(x, shape=[224, 224, 3]), "channel_means")
measured("full_like", lambda lib, x, y: lib.fn.full_like(x, y), "small_photos", "channel_means")
measured("constant", lambda lib: lib.fn.constant(fdata=[1.0, 2.0, 3.0]))
measured("one_hot", lambda lib, x: lib.fn.one_hot(x, num_classes=1000), "classes")
