"""OpenCV, which antialiases no filter but its area average."""

import contender
import cv2

ENVIRONMENT = "torch"
FILTERS = {"nearest": cv2.INTER_NEAREST, "linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC}


def prepare(task):
    row = task["row"]
    shrinks = row["width"] < row["in_width"]
    if row["filter"] not in FILTERS or (row["antialias"] and shrinks):
        return None
    cv2.setNumThreads(1)
    image = contender.read_pixels(row)
    size = (row["width"], row["height"])
    return lambda: cv2.resize(image, size, interpolation=FILTERS[row["filter"]])


if __name__ == "__main__":
    contender.calls(prepare, lambda: {"opencv": cv2.__version__})
