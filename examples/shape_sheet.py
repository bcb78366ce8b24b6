"""A contact sheet of pictures of shapes, with their boxes and masks drawn."""

import numpy as np
from PIL import Image, ImageDraw

COLORS = np.uint8([[255, 80, 60], [70, 220, 90], [80, 140, 255]])  # of the shapes, in their order


def tile_of(pixels, boxes, labels, mask, side):
    """One picture with what is drawn on it; boxes are left, top, right, bottom as parts of its sides."""
    pixels = pixels.clip(0, 255)
    pixels[mask > 0] = 0.5 * pixels[mask > 0] + 0.5 * COLORS[mask[mask > 0] - 1]
    tile = Image.fromarray(pixels.astype(np.uint8)).resize((side, side))
    pen = ImageDraw.Draw(tile)
    for box, label in zip(boxes, labels, strict=True):
        pen.rectangle([float(edge) * (side - 1) for edge in box], outline=tuple(int(c) for c in COLORS[label - 1]))
    return tile


def shape_sheet(batch, path, mean, std, columns=8):
    """Writes to `path` the pictures of a batch in rows: its images (CHW, less `mean`, by `std`), boxes, labels and
    masks."""
    images, boxes, labels, masks = ([np.array(output.at(place)) for place in range(len(output))] for output in batch)
    side = 2 * images[0].shape[-1]
    sheet = Image.new("RGB", (columns * side, -(-len(images) // columns) * side))
    for place, image in enumerate(images):
        tile = tile_of(image.transpose(1, 2, 0) * std + mean, boxes[place], labels[place], masks[place][..., 0], side)
        sheet.paste(tile, (place % columns * side, place // columns * side))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)
