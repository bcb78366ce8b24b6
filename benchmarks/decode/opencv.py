"""OpenCV."""

import contender
import cv2
import numpy

ENVIRONMENT = "torch"


def prepare():
    cv2.setNumThreads(1)
    return lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR_RGB)


if __name__ == "__main__":
    contender.calls(contender.each_picture(prepare), lambda: {"opencv": cv2.__version__})
