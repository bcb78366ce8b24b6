"""Draws a run of `three_ways` as one picture: for each way, when the accelerator worked and when it waited, and its
line of the table."""

from __future__ import annotations

import pathlib
from typing import Any

from PIL import Image, ImageDraw, ImageFont

WIDTH = 1800
TOP = 190  # of the first line
LINE = 84
BAR = 44
LEFT, RIGHT = 250, 1090  # of the time axis
COLUMN = 112
FOOT = 110
LONGEST = 1.5  # the axis, of the longest of our own ways; what goes on is cut off, with its end written
WHITE, INK, FAINT, GRID = "#ffffff", "#202428", "#6b7480", "#dfe3e8"
COPYING, BUSY, BUSY_AGAIN, WAITING = "#b9a0dc", "#2a7f62", "#66b38f", "#f2b8a0"
LEGEND = ((COPYING, "before the first epoch"), (WAITING, "idle: waits for a batch"), (BUSY, "a step, epoch 1"),
          (BUSY_AGAIN, "epoch 2"))

Way = dict[str, Any]
Pen = ImageDraw.ImageDraw


def font(size: int) -> Any:
    return ImageFont.load_default(size)


def tick_of(end_s: float) -> float:
    """The distance of the marks of the axis: at most ten of them."""
    return next(tick for scale in range(-3, 9) for tick in (10.0**scale, 2 * 10.0**scale, 5 * 10.0**scale)
                if end_s / tick <= 10)


def draw_axis(pen: Pen, end_s: float, bottom: int) -> None:
    tick = tick_of(end_s)
    for number in range(int(end_s / tick) + 1):
        x = LEFT + (RIGHT - LEFT) * number * tick / end_s
        pen.line((x, TOP - 12, x, bottom), GRID, 1)
        pen.text((x, bottom + 6), f"{number * tick:g}", FAINT, font(17), anchor="mt")
    pen.text((RIGHT, bottom + 30), "seconds since the job began", FAINT, font(17), anchor="rt")


def draw_bar(pen: Pen, way: Way, top: int, end_s: float) -> None:
    """All of the job is waiting, but for what is drawn over it."""

    def span(begin_s: float, until_s: float, color: str) -> None:
        if begin_s < end_s:
            ends = [LEFT + (RIGHT - LEFT) * min(seconds, end_s) / end_s for seconds in (begin_s, until_s)]
            pen.rectangle((ends[0], top, max(ends), top + BAR), color)

    timeline = way["timeline"]
    span(0, timeline["end_s"], WAITING)
    span(0, timeline["epochs"][0]["begin_s"], COPYING)
    for epoch, color in zip(timeline["epochs"], (BUSY, BUSY_AGAIN), strict=True):
        for begin_s, until_s in epoch["steps"]:
            span(begin_s, until_s, color)
    if timeline["end_s"] > end_s:
        pen.text((RIGHT - 8, top + BAR / 2), f"... {timeline['end_s']:.1f} s", INK, font(20), anchor="rm",
                 stroke_width=3, stroke_fill=WHITE)


def draw_legend(pen: Pen, top: int) -> None:
    x = float(LEFT)
    for color, meaning in LEGEND:
        pen.rectangle((x, top, x + 18, top + 18), color)
        pen.text((x + 26, top + 9), meaning, INK, font(17), anchor="lm")
        x += 26 + pen.textlength(meaning, font(17)) + 36


def draw(path: pathlib.Path, described: list[str], header: list[str], lines: list[tuple[list[str], Way]],
         own_ends_s: list[float]) -> None:
    """`lines`: what the table has of each way, and the way with its timeline, which is that of its last round.
    `own_ends_s`: when those ended that the axis is made for."""
    end_s = min(max(way["timeline"]["end_s"] for _, way in lines), LONGEST * max(own_ends_s))
    bottom = TOP + LINE * len(lines)
    image = Image.new("RGB", (WIDTH, bottom + FOOT), WHITE)
    pen = ImageDraw.Draw(image)
    pen.text((30, 24), "One training job, its data far away", INK, font(32))
    for number, sentence in enumerate(described):
        pen.text((30, 70 + 24 * number), sentence, FAINT, font(17))
    draw_axis(pen, end_s, bottom)
    for number, title in enumerate(header):
        pen.text((RIGHT + COLUMN * (number + 1), TOP - 20), title, FAINT, font(17), anchor="rd")
    for number, (line, way) in enumerate(lines):
        top = TOP + LINE * number
        pen.text((30, top + BAR / 2), line[0], INK, font(21), anchor="lm")
        draw_bar(pen, way, top, end_s)
        for column, text in enumerate(line[1:], 1):
            pen.text((RIGHT + COLUMN * column, top + BAR / 2), text, INK, font(21), anchor="rm")
    draw_legend(pen, bottom + 66)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
