"""Pictures as files, by NumPy alone; photographs by Pillow where it is installed.

JPEG is what data sets of photographs are made of, and what Pillow writes. Without it they are PNG files: the same
pixels, more bytes.
"""

import struct
import zlib

import numpy as np

try:
    from PIL import Image
except ImportError:
    Image = None

PHOTO_SUFFIX = ".png" if Image is None else ".jpg"
WITHOUT_PILLOW = "Pillow is not installed, so these are PNG files; after `pip install pillow` they are JPEG, and smaller"


def write_png(path, pixels, level=6):
    """Writes an array of bytes, (height, width, 3)."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, 3 * width)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits a channel, RGB
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
        file.write(chunk(b"IDAT", zlib.compress(rows.tobytes(), level)) + chunk(b"IEND", b""))


def write_photo(path, pixels, quality, subsampling):
    """Writes the same kind of array, in the form that PHOTO_SUFFIX says."""
    if Image is None:
        write_png(path, pixels, level=1)
    else:
        Image.fromarray(pixels).save(path, "JPEG", quality=quality, subsampling=subsampling)
