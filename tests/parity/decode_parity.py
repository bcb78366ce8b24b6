"""Records what DALI's CPU decoder makes of images, for src/forebay/codec/decode_parity_test.cc to compare with.

    python decode_parity.py OUT [FOLDER OF IMAGES...]

OUT gets the encoded files and `manifest.txt`: the version of DALI, then one case a line:
    file output_type dtype adjust_orientation y x height width crc32 height width channels
The first four numbers are the window (height 0: none), the last three the shape of the output; a crc32 of "-" says
that DALI gives an error or crashes. `decode/` beside this script is what it writes without folders; with more
images, run the codec tests with FOREBAY_DECODE_PARITY=OUT. format_parity.py does the same for the other formats.
Needs nvidia-dali, numpy, pillow and opencv.
"""

import io
import itertools
import os
import pathlib
import struct
import sys
import zlib

import cv2
import numpy as np
import nvidia.dali
from nvidia.dali import fn, pipeline_def, types
from PIL import Image

OUTPUT_TYPES = {0: types.RGB, 1: types.BGR, 2: types.GRAY, 3: types.YCbCr, 4: types.ANY_DATA}
DTYPES = {"uint8": types.UINT8, "uint16": types.UINT16, "float": types.FLOAT}


def photo(height, width, channels=3):
    """Something between a photograph and noise, the same every time."""
    rng = np.random.default_rng(height * 1000 + width)
    y, x = np.mgrid[0:height, 0:width]
    planes = [
        127 + 80 * np.sin(x / (5.0 + c) + c) * np.cos(y / (7.0 - c)) + 40 * ((x // 9 + y // 11 + c) % 2)
        for c in range(channels)
    ]
    image = np.stack(planes, -1) + rng.normal(0, 6, (height, width, channels))
    return np.clip(image, 0, 255).astype(np.uint8)


def pillow_jpeg(array, mode="RGB", **options):
    out = io.BytesIO()
    Image.fromarray(array, mode).save(out, "JPEG", quality=85, **options)
    return out.getvalue()


def app14(transform):
    return b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00" + bytes([transform])


def without_app14(jpeg):
    at = jpeg.find(b"\xff\xee\x00\x0eAdobe")
    return jpeg if at < 0 else jpeg[:at] + jpeg[at + 16 :]


def exif(orientation):
    data = Image.Exif()
    data[0x0112] = orientation
    return data.tobytes()


def jpegs():
    samplings = {
        "444": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
        "440": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_440,
        "422": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422,
        "420": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
        "411": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_411,
    }
    for (name, value), size, progressive in itertools.product(samplings.items(), [(45, 67), (32, 48), (7, 5)], (0, 1)):
        arguments = [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, value, cv2.IMWRITE_JPEG_PROGRESSIVE, progressive]
        arguments += [cv2.IMWRITE_JPEG_RST_INTERVAL, 3] if size == (32, 48) else []
        yield f"s{name}_{size[0]}x{size[1]}_{progressive}.jpg", cv2.imencode(".jpg", photo(*size), arguments)[1].tobytes()
    grey = photo(31, 43, 1)[..., 0]
    yield "grey.jpg", pillow_jpeg(grey, "L")
    cmyk = pillow_jpeg(photo(31, 43, 4), "CMYK")
    yield "cmyk_adobe.jpg", cmyk
    yield "cmyk_plain.jpg", without_app14(cmyk)
    plain = without_app14(cmyk)
    yield "ycck.jpg", plain[:2] + app14(2) + plain[2:]
    rgb = pillow_jpeg(photo(31, 43), subsampling=0)
    end_of_app0 = 4 + struct.unpack(">H", rgb[4:6])[0]
    yield "rgb_adobe.jpg", rgb[:2] + app14(0) + rgb[end_of_app0:]
    for orientation in range(1, 9):
        yield f"exif{orientation}_420.jpg", pillow_jpeg(photo(37, 53), subsampling=2, exif=exif(orientation))
        yield f"exif{orientation}_grey.jpg", pillow_jpeg(grey, "L", exif=exif(orientation))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(values, depth, color_type, interlaced=False, extra=b"", palette=None):
    """`values`: height x width x channels samples below 2**depth."""
    height, width, channels = values.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    raw = b""
    for y0, x0, dy, dx in passes:
        part = values[y0::dy, x0::dx]
        if part.size == 0:
            continue
        for row in part.reshape(part.shape[0], -1):
            if depth == 16:
                raw += b"\0" + row.astype(">u2").tobytes()
            else:
                bits = np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - depth :]
                raw += b"\0" + np.packbits(bits.reshape(-1)).tobytes()
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, int(interlaced))
    before = chunk(b"PLTE", palette.tobytes()) if palette is not None else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + extra + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def pngs():
    rng = np.random.default_rng(7)
    kinds = [("grey", 0, 1, (1, 2, 4, 8, 16)), ("rgb", 2, 3, (8, 16)), ("palette", 3, 1, (1, 2, 4, 8)),
             ("grey_alpha", 4, 2, (8, 16)), ("rgba", 6, 4, (8, 16))]
    for name, color_type, channels, depths in kinds:
        for depth, interlaced, trns in itertools.product(depths, (False, True), (False, True)):
            if trns and color_type >= 4:
                continue
            values = rng.integers(0, 1 << depth, (17, 23, channels), dtype=np.uint16)
            palette = rng.integers(0, 256, (1 << depth, 3), dtype=np.uint8) if color_type == 3 else None
            extra = b""
            if trns:
                extra = chunk(b"tRNS", {0: b"\0\1", 2: b"\0\1\0\1\0\1", 3: b"\x80\x00"}[color_type])
            yield f"{name}{depth}{'_i' if interlaced else ''}{'_t' if trns else ''}.png", png(
                values, depth, color_type, interlaced, extra, palette)
    photograph = photo(17, 23)
    yield "gama.png", png(photograph, 8, 2, extra=chunk(b"gAMA", struct.pack(">I", 45455)))
    yield "srgb.png", png(photograph, 8, 2, extra=chunk(b"sRGB", b"\0"))
    yield "gama_linear.png", png(photograph, 8, 2, extra=chunk(b"gAMA", struct.pack(">I", 100000)))
    yield "sbit.png", png(photograph, 8, 2, extra=chunk(b"sBIT", b"\5\6\5"))
    yield "bkgd.png", png(photo(17, 23, 4), 8, 6, extra=chunk(b"bKGD", b"\0\1\0\1\0\1"))
    for orientation in (3, 6):
        yield f"exif{orientation}.png", png(photograph, 8, 2, extra=chunk(b"eXIf", exif(orientation)[6:]))


def decode(data, output_type, dtype, adjust, window):
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        encoded = fn.external_source(lambda: [np.frombuffer(data, np.uint8)], batch=True)
        options = dict(output_type=OUTPUT_TYPES[output_type], dtype=DTYPES[dtype], adjust_orientation=adjust)
        if window is None:
            return fn.decoders.image(encoded, **options)
        y, x, height, width = window
        return fn.decoders.image_slice(encoded, start=[y, x], shape=[height, width], axis_names="HW", **options)

    graph = pipe()
    graph.build()
    return np.array(graph.run()[0].at(0))


def decode_apart(path, *case):
    """In a child process: DALI crashes on some of these."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            pixels = decode(path.read_bytes(), *case)
            os.write(write, struct.pack("<3q", *pixels.shape))
            with os.fdopen(write, "wb") as out:
                out.write(pixels.tobytes())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        data = source.read()
    os.waitpid(child, 0)
    return (struct.unpack("<3q", data[:24]), data[24:]) if len(data) > 24 else None


def cases_of(name, height, width):
    """Beside the plain case; `height` and `width` are those of the upright image."""
    if name.startswith("photo_"):
        return
    window = (height // 4, width // 5, (height + 1) // 2, (width + 1) // 2)
    for output_type, dtype in itertools.product(OUTPUT_TYPES, DTYPES):
        if (output_type, dtype) != (0, "uint8"):
            yield output_type, dtype, True, None
    yield 0, "uint8", True, window
    yield 2, "float", True, window
    if "exif" in name:
        yield 0, "uint8", False, None
        yield 0, "uint8", False, (3, 2, 9, 11)


def record(path, case, manifest):
    output_type, dtype, adjust, window = case
    result = decode_apart(path, *case)
    shape, checksum = (0, 0, 0), "-"
    if result is not None:
        shape, checksum = result[0], f"{zlib.crc32(result[1]):08x}"
    print(path.name, output_type, dtype, int(adjust), *(window or (0, 0, 0, 0)), checksum, *shape, file=manifest)
    return shape


def record_all(out, files):
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "manifest.txt", "w") as manifest:
        print("# nvidia-dali", nvidia.dali.__version__, file=manifest)
        for name, data in files.items():
            (out / name).write_bytes(data)
            height, width, _ = record(out / name, (0, "uint8", True, None), manifest)
            for case in cases_of(name, height, width):
                record(out / name, case, manifest)


def files_of(folders, suffixes):
    """The files of that kind in the folders, under names that say that they are photographs."""
    paths = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*"))]
    kept = [path for path in paths if path.suffix.lower() in suffixes]
    return {f"photo_{i}{path.suffix.lower()}": path.read_bytes() for i, path in enumerate(kept)}


def main():
    files = dict(itertools.chain(jpegs(), pngs()))
    record_all(pathlib.Path(sys.argv[1]), files | files_of(sys.argv[2:], (".jpg", ".jpeg", ".png")))


if __name__ == "__main__":
    main()
