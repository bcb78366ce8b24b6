"""A contact sheet: pictures in rows, a line of text below each. The letters are drawn here, so it needs NumPy alone."""

import numpy as np
from picture_files import write_png

COLUMNS = 8
SCALE = 2  # pixels of the sheet to a dot of a letter
MARGIN = 3  # dots above and below a line
GOOD, BAD = (120, 220, 120), (255, 130, 110)

# Seven rows from the top, five dots each, as two hexadecimal digits: 1f is a full row.
GLYPHS = {
    "A": "0e11111f111111", "B": "1e11111e11111e", "C": "0e11101010110e", "D": "1c12111111121c", "E": "1f10101e10101f",
    "F": "1f10101e101010", "G": "0e11101711110f", "H": "1111111f111111", "I": "0e04040404040e", "J": "0702020202120c",
    "K": "11121418141211", "L": "1010101010101f", "M": "111b1515111111", "N": "11111915131111", "O": "0e11111111110e",
    "P": "1e11111e101010", "Q": "0e11111115120d", "R": "1e11111e141211", "S": "0f10100e01011e", "T": "1f040404040404",
    "U": "1111111111110e", "V": "11111111110a04", "W": "1111111515150a", "X": "11110a040a1111", "Y": "1111110a040404",
    "Z": "1f01020408101f", "0": "0e11131519110e", "1": "040c040404040e", "2": "0e11010204081f", "3": "1f02040201110e",
    "4": "02060a121f0202", "5": "1f101e0101110e", "6": "0608101e11110e", "7": "1f010204080808", "8": "0e11110e11110e",
    "9": "0e11110f01020c", " ": "00000000000000", "-": "0000001f000000", "_": "0000000000001f", ".": "00000000000c0c",
    ",": "000000000c0408", ">": "08040201020408", "(": "02040808080402", ")": "08040202020408", "'": "04040800000000",
}
UNKNOWN = "1f11111111111f"


def text_dots(text):
    """An array of booleans, seven rows high: each letter and a column between."""
    text = text.upper()  # of some letters two
    dots = np.zeros((7, 6 * len(text)), bool)
    for place, letter in enumerate(text):
        rows = bytes.fromhex(GLYPHS.get(letter, UNKNOWN))
        dots[:, 6 * place : 6 * place + 5] = [[row >> (4 - column) & 1 for column in range(5)] for row in rows]
    return dots


def text_line(text, width, color):
    """A line of text as pixels, in small letters where it is too long, cut off where these are too long as well."""
    dots = text_dots(text)
    scale = SCALE if dots.shape[1] * SCALE + 2 * MARGIN <= width else 1
    dots = dots.repeat(scale, axis=0).repeat(scale, axis=1)[:, : width - MARGIN]
    line = np.zeros(((7 + 2 * MARGIN) * SCALE, width, 3), np.uint8)
    top = (len(line) - len(dots)) // 2
    line[top : top + len(dots), MARGIN : MARGIN + dots.shape[1]][dots] = color
    return line


def labelled_sheet(path, pictures, texts):
    """Writes a PNG file of the pictures, arrays of bytes of one shape (height, width, 3).

    texts: for each picture a pair: what stands below it, and whether it is good news.
    """
    tiles = []
    for picture, (text, is_good) in zip(pictures, texts, strict=True):
        tiles.append(np.concatenate([picture, text_line(text, picture.shape[1], GOOD if is_good else BAD)]))
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % COLUMNS)
    rows = [np.concatenate(tiles[first : first + COLUMNS], axis=1) for first in range(0, len(tiles), COLUMNS)]
    write_png(path, np.concatenate(rows))
