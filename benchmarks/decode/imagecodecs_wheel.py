"""imagecodecs: little but calls of the formats' libraries, in versions of its own. Only pictures that are stored as RGB,
since it converts nothing; windows are cut from whole pictures."""

import contender
import imagecodecs

ENVIRONMENT = "imagecodecs"

DECODERS = {
    b"\xff\xd8": imagecodecs.jpeg8_decode,
    b"\x89P": imagecodecs.png_decode,
    b"BM": imagecodecs.bmp_decode,
    b"RI": imagecodecs.webp_decode,
    b"II": imagecodecs.tiff_decode,
    b"MM": imagecodecs.tiff_decode,
    b"\x00\x00": imagecodecs.jpeg2k_decode,
}


def decode(data):
    return DECODERS[data[:2]](data)


def prepare(task):
    picture_of = contender.each_picture(lambda: decode)(task)
    try:
        shape = picture_of().shape
    except KeyError:
        return None
    return picture_of if shape[2:] == (3,) else None


if __name__ == "__main__":
    contender.calls(prepare, lambda: {"imagecodecs": imagecodecs.__version__})
