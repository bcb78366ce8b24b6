"""Forebay's contenders of `transforms/`: their Compose."""

import contender
import own_package

own_package.make_importable()

import transform_steps  # noqa: E402

from forebay import transforms  # noqa: E402


class Window(transforms.Transform):
    """The fixed window of a check."""

    def apply(self, picture, drawn):
        top, bottom, left, right = (
            transforms.sizes.whole(part * extent + 0.5)
            for extent in (picture.height, picture.width)
            for part in (contender.WINDOW_START, contender.WINDOW_START + contender.WINDOW_SHAPE)
        )
        return picture.window(top, left, bottom - top, right - left)


def compose(work):
    steps = transform_steps.steps(transforms, work.checked, [transforms.ToTensor()])
    return transforms.Compose([Window(), *steps] if work.checked else steps, seed=1)
