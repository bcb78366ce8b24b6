"""Operators on colours, and those that look around pixels."""

from operator_table import measured

TWIST = {"hue": 35.0, "saturation": 1.4, "contrast": 0.8, "brightness": 1.1}

measured("brightness", lambda lib, x: lib.fn.brightness(x, brightness=1.3, brightness_shift=0.05), "photos",
         bar="bytes")
measured("contrast", lambda lib, x: lib.fn.contrast(x, contrast=1.5), "photos", bar="bytes")
measured("brightness_contrast", lambda lib, x: lib.fn.brightness_contrast(x, brightness=0.8, contrast=1.7), "photos",
         bar="bytes")
measured("hue", lambda lib, x: lib.fn.hue(x, hue=-70.0), "photos", bar="bytes")
measured("saturation", lambda lib, x: lib.fn.saturation(x, saturation=0.3), "photos", bar="bytes")
measured("hsv", lambda lib, x: lib.fn.hsv(x, hue=20.0, saturation=0.7, value=1.3), "photos", bar="bytes")
measured("color_twist", lambda lib, x: lib.fn.color_twist(x, **TWIST), "photos", bar="bytes")
measured("color_twist of floats", lambda lib, x: lib.fn.color_twist(x, **TWIST), "float_photos", bar="close")
for target in ("BGR", "YCbCr", "GRAY"):
    measured(f"color_space_conversion to {target}", lambda lib, x, target=target: lib.fn.color_space_conversion(
        x, image_type=lib.types.RGB, output_type=getattr(lib.types, target)), "photos", bar="bytes")
measured("equalize", lambda lib, x: lib.fn.equalize(x), "photos", bar="bytes")
measured("clahe", lambda lib, x: lib.fn.clahe(x, tiles_x=8, tiles_y=8, clip_limit=2.0), "photos", bar="few")
measured("clahe grey", lambda lib, x: lib.fn.clahe(x, tiles_x=8, tiles_y=8, clip_limit=2.0), "grey_photos", bar="bytes")
for algorithm in ("bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"):
    measured(f"debayer {algorithm}", lambda lib, x, algorithm=algorithm: lib.fn.debayer(
        x, blue_position=[0, 1], algorithm=algorithm), "mosaics", bar="bytes")
measured("lookup_table", lambda lib, x: lib.fn.lookup_table(
    x, keys=list(range(256)), values=[float((7 * key) % 256) for key in range(256)], dtype=lib.types.UINT8), "photos")

measured("gaussian_blur", lambda lib, x: lib.fn.gaussian_blur(x, sigma=1.5), "photos", bar="bytes")
measured("gaussian_blur of floats", lambda lib, x: lib.fn.gaussian_blur(x, window_size=5), "float_photos", bar="close")
measured("laplacian", lambda lib, x: lib.fn.laplacian(x, window_size=5, dtype=lib.types.FLOAT), "small_photos",
         bar="close")
measured("filter", lambda lib, x, weights: lib.fn.filter(x, weights), "photos", "kernels", bar="bytes")
measured("grid_mask", lambda lib, x: lib.fn.grid_mask(x, tile=70, angle=0.3, ratio=0.4, shift_x=2.0, shift_y=5.0),
         "photos")
measured("grid_mask upright", lambda lib, x: lib.fn.grid_mask(x, tile=70), "photos")
measured("jpeg_compression_distortion", lambda lib, x: lib.fn.jpeg_compression_distortion(x, quality=50), "photos")
