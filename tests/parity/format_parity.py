"""Records what DALI's CPU decoder makes of the formats beside JPEG and PNG, as decode_parity.py does for these.

    python format_parity.py OUT [FOLDER OF IMAGES...]

`decode_formats/` beside this script is what it writes without folders. Left out is what DALI does not decode, and what
we decode otherwise on purpose (departures.json); of that, test_formats.py tries numbers of other bits.
"""

import io
import pathlib
import struct
import sys

import numpy as np
from decode_parity import exif, files_of, photo, record_all
from PIL import Image
from tiff_files import tiff

SUFFIXES = (".bmp", ".pnm", ".ppm", ".pgm", ".pbm", ".webp", ".tif", ".tiff", ".jp2", ".j2k")


def saved(array, kind, mode=None, **options):
    out = io.BytesIO()
    picture = array if isinstance(array, Image.Image) else Image.fromarray(array, mode)
    picture.save(out, kind, **options)
    return out.getvalue()


def bmp(values, bits, *, header_bytes=40, palette=(), compression=0, masks=(), top_down=False, runs=b""):
    """`values`: the index, or the bits, of each pixel."""
    height, width = values.shape
    sides = "<HH" if header_bytes == 12 else "<ii"
    header = struct.pack("<I", header_bytes) + struct.pack(sides, width, -height if top_down else height)
    header += struct.pack("<HH", 1, bits)
    if header_bytes >= 40:
        header += struct.pack("<IIiiII", compression, 0, 0, 0, len(palette), 0)
    header += b"".join(struct.pack("<I", mask) for mask in masks)
    header = header.ljust(header_bytes, b"\0")
    for colour in palette:
        header += bytes(colour[::-1]) + (b"" if header_bytes == 12 else b"\0")
    data = runs
    for row in values if top_down or runs else values[::-1]:
        if runs:
            break
        if bits < 8:
            unpacked = np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - bits :]
            packed = np.packbits(unpacked.reshape(-1)).tobytes()
        else:
            packed = b"".join(int(value).to_bytes(bits // 8, "little") for value in row)
        data += packed.ljust((len(packed) + 3) // 4 * 4, b"\0")
    at = 14 + len(header)
    return b"BM" + struct.pack("<IHHI", at + len(data), 0, 0, at) + header + data


def bmp_runs(values, bits):
    """Runs of two pixels, an odd one at the end of a row."""
    data = b""
    for row in values[::-1]:
        for x in range(0, len(row), 2):
            pair = row[x : x + 2]
            if bits == 8:
                data += b"".join(bytes([1, value]) for value in pair)
            else:
                data += bytes([len(pair), int(pair[0]) << 4 | int(pair[-1])])
        data += b"\0\0"
    return data + b"\0\1"


def bmps():
    rng = np.random.default_rng(5)
    for bits in (1, 4, 8):
        values = rng.integers(0, 1 << bits, (17, 23))
        palette = rng.integers(0, 256, (1 << bits, 3), dtype=np.uint8)
        grey = np.repeat(palette[:, :1], 3, axis=1)
        yield f"palette{bits}.bmp", bmp(values, bits, palette=palette)
        yield f"grey{bits}.bmp", bmp(values, bits, palette=grey, header_bytes=124)
        yield f"core{bits}.bmp", bmp(values, bits, palette=grey, header_bytes=12)
        if bits > 1:
            yield f"runs{bits}.bmp", bmp(values, bits, palette=palette, compression=3 - bits // 4,
                                         runs=bmp_runs(values, bits))
    values = rng.integers(0, 1 << 16, (17, 23))
    yield "rgb555.bmp", bmp(values, 16)
    yield "rgb565.bmp", bmp(values, 16, compression=3, masks=(0xF800, 0x07E0, 0x001F))
    yield "rgb24.bmp", bmp(rng.integers(0, 1 << 24, (17, 23)), 24)
    yield "top_down.bmp", bmp(rng.integers(0, 1 << 24, (17, 23)), 24, top_down=True)
    yield "rgb32.bmp", bmp(rng.integers(0, 1 << 32, (17, 23)), 32)


def pnms():
    rng = np.random.default_rng(6)
    for kind, channels in ((2, 1), (3, 3)):
        values = rng.integers(0, 101, (17, 23 * channels))
        text = "\n".join(" ".join(map(str, row)) for row in values)
        yield f"text{kind}.pnm", f"P{kind}\n# text\n23 17\n100\n{text}\n".encode()
    bits = rng.integers(0, 2, (17, 23))
    yield "text1.pbm", ("P1\n23 17\n" + "\n".join("".join(map(str, row)) for row in bits) + "\n").encode()
    yield "bits.pbm", b"P4\n23 17\n" + np.packbits(bits.astype(np.uint8), axis=1).tobytes()
    yield "grey.pgm", b"P5 23 17 255\n" + rng.integers(0, 256, (17, 23), dtype=np.uint8).tobytes()
    yield "rgb.ppm", b"P6 23 17 255\n" + rng.integers(0, 256, (17, 23, 3), dtype=np.uint8).tobytes()


def webps():
    for name, channels in (("rgb", 3), ("rgba", 4)):
        picture = photo(37, 53, channels)
        yield f"{name}_lossless.webp", saved(picture, "WEBP", lossless=True, exact=True)
        yield f"{name}_lossy.webp", saved(picture, "WEBP", quality=80)
    frames = [Image.fromarray(photo(17, 23)), Image.fromarray(255 - photo(17, 23))]
    out = io.BytesIO()
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    yield "animation.webp", out.getvalue()


def fax(grey, coding):
    """A picture of black and white as fax machines send it; black is 0."""
    with Image.open(io.BytesIO(saved(Image.fromarray(grey > 127), "TIFF", compression=coding))) as picture:
        (offset,), (size,) = picture.tag_v2[273], picture.tag_v2[279]
        picture.fp.seek(offset)
        strip = picture.fp.read(size)
        return tiff(grey[..., None], 1, meaning=picture.tag_v2[262], coding=picture.tag_v2[259], strip=strip)


def tiffs_of_other_kinds():
    picture = photo(37, 53)
    wide = picture.astype(np.uint16) * 251
    for order, name in (("<", "little"), (">", "big")):
        yield f"bigtiff_{name}_endian.tiff", tiff(picture, 8, is_big=True, order=order)
    yield "bigtiff_tiles.tiff", tiff(picture, 8, is_big=True, tile=16, coding=8)
    yield "tiles.tiff", tiff(picture, 8, tile=16)
    yield "tiles_grey.tiff", tiff(picture[..., :1], 8, tile=32, coding=8)
    yield "tiles_wide.tiff", tiff(wide, 16, tile=16, coding=8, order=">")
    yield "grey1.tiff", tiff(wide[..., :1] >> 15, 1)
    yield "rgb_float.tiff", tiff(picture / 200 - 0.1, 32, is_float=True)
    yield "tiles_float.tiff", tiff(picture[..., :1] / 200 - 0.1, 32, is_float=True, tile=16, coding=8, order=">")
    for coding in ("tiff_ccitt", "group3", "group4"):
        yield f"fax_{coding.removeprefix('tiff_')}.tiff", fax(picture[..., 0], coding)


def tiffs():
    picture = photo(37, 53)
    grey = picture[..., 0].copy()
    wide = grey.astype(np.uint16) * 251
    for coding in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"):
        yield f"rgb_{coding}.tiff", saved(picture, "TIFF", compression=coding)
        yield f"grey_{coding}.tiff", saved(grey, "TIFF", compression=coding)
    yield "rgba.tiff", saved(photo(37, 53, 4), "TIFF", compression="tiff_lzw")
    yield "wide.tiff", saved(wide, "TIFF")
    yield "float.tiff", saved(grey.astype(np.float32) / 200 - 0.1, "TIFF")
    yield "palette.tiff", saved(Image.fromarray(picture).quantize(16), "TIFF")
    for orientation in range(2, 9):
        yield f"exif{orientation}.tiff", saved(picture, "TIFF", tiffinfo={0x0112: orientation})


def jpeg2000s():
    picture = photo(37, 53)
    yield "rgb.jp2", saved(picture, "JPEG2000")
    yield "rgba.jp2", saved(photo(37, 53, 4), "JPEG2000")
    yield "grey.jp2", saved(picture[..., 0].copy(), "JPEG2000")
    yield "wide.jp2", saved(picture[..., 0].astype(np.uint16) * 251, "JPEG2000")
    yield "tiles.jp2", saved(picture, "JPEG2000", tile_size=(16, 16))
    yield "stream.j2k", saved(picture, "JPEG2000", no_jp2=True)


def lossy_jpeg2000s():
    picture = photo(37, 53)
    lossy = {"irreversible": True, "quality_mode": "rates", "quality_layers": [12]}
    yield "lossy_rgb.jp2", saved(picture, "JPEG2000", **lossy)
    yield "lossy_grey.jp2", saved(picture[..., 0].copy(), "JPEG2000", **lossy)
    yield "lossy_wide.jp2", saved(picture[..., 0].astype(np.uint16) * 251, "JPEG2000", **lossy)
    yield "lossy_tiles.jp2", saved(picture, "JPEG2000", tile_size=(16, 16), **lossy)
    yield "lossy_layers.j2k", saved(picture, "JPEG2000", no_jp2=True, **(lossy | {"quality_layers": [40, 12, 4]}))


def formats():
    for files in (bmps(), pnms(), webps(), tiffs(), jpeg2000s(), tiffs_of_other_kinds(), lossy_jpeg2000s()):
        yield from files


def main():
    record_all(pathlib.Path(sys.argv[1]), dict(formats()) | files_of(sys.argv[2:], SUFFIXES))


if __name__ == "__main__":
    main()
