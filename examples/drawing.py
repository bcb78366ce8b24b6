"""What the examples leave to look at: a contact sheet of a batch, bars, and a curve."""

import pathlib

import numpy as np
from PIL import Image, ImageDraw

WIDTH, HEIGHT, MARGIN = 720, 320, 44
BACKGROUND, INK, SHADE, MARK = "white", "#202020", "#3b7dd8", "#d43c32"
LINE = 14  # pixels of a line of text


def save(picture, path):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    print(f"see {path}")


def contact_sheet(pictures, path, captions=None, side=96, columns=8):
    """Writes pictures (height, width, channel; bytes) in rows, each with its caption below."""
    height = side + (LINE if captions is not None else 0)
    sheet = Image.new("RGB", (columns * side, -(-len(pictures) // columns) * height), BACKGROUND)
    pen = ImageDraw.Draw(sheet)
    for place, picture in enumerate(pictures):
        left, top = place % columns * side, place // columns * height
        sheet.paste(Image.fromarray(np.asarray(picture)).convert("RGB").resize((side, side)), (left, top))
        if captions is not None:
            pen.text((left + 2, top + side + 1), str(captions[place]), fill=INK)
    save(sheet, path)


def canvas(title):
    picture = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    pen = ImageDraw.Draw(picture)
    pen.text((MARGIN, 12), title, fill=INK)
    pen.line((MARGIN, HEIGHT - MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN), fill=INK)
    return picture, pen


def bars(values, path, title):
    """Writes a bar for each name of the dictionary `values`, with its number above."""
    picture, pen = canvas(title)
    step = (WIDTH - 2 * MARGIN) / len(values)
    tallest = max(max(values.values()), 1e-9)
    for place, (name, value) in enumerate(values.items()):
        left, ground = MARGIN + step * (place + 0.1), HEIGHT - MARGIN
        top = ground - (HEIGHT - 3 * MARGIN) * value / tallest
        pen.rectangle((left, top, left + 0.8 * step, ground), fill=SHADE)
        pen.text((left, top - LINE), f"{value:,}", fill=INK)
        pen.text((left, ground + 4), str(name), fill=INK)
    save(picture, path)


def curve(values, path, title, marks=()):
    """Writes the numbers `values` as a line over their places, and an upright line at each (place, name) of `marks`."""
    picture, pen = canvas(title)
    low, high = min(values), max(values)

    def across(place):
        return MARGIN + (WIDTH - 2 * MARGIN) * place / max(1, len(values) - 1)

    def up(value):
        return HEIGHT - MARGIN - (HEIGHT - 3 * MARGIN) * (value - low) / max(high - low, 1e-9)

    for place, name in marks:
        pen.line((across(place), 2 * MARGIN - LINE, across(place), HEIGHT - MARGIN), fill=MARK)
        pen.text((across(place) + 3, 2 * MARGIN - LINE), name, fill=MARK)
    pen.line([(across(place), up(value)) for place, value in enumerate(values)], fill=SHADE, width=2)
    for value in (low, high):
        pen.text((4, up(value) - LINE / 2), f"{value:.3g}", fill=INK)
    pen.text((WIDTH - 2 * MARGIN, HEIGHT - MARGIN + 4), f"{len(values)} steps", fill=INK)
    save(picture, path)
