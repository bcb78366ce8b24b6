"""The steps that contenders of `transforms/` take, from one or the other library: `library` has torchvision's names."""

import contender


def steps(library, checked, to_floats):
    """Those of the row; `to_floats` makes a float tensor of an image."""
    unit_mean, unit_std = ([value / 255 for value in values] for values in (contender.MEAN, contender.STD))
    ending = [*to_floats, library.Normalize(unit_mean, unit_std)]
    if checked:
        return [library.Resize((contender.SIZE, contender.SIZE)), *ending]
    beginning = [library.RandomResizedCrop(contender.SIZE), library.RandomHorizontalFlip()]
    if not contender.read_task()["row"]["augmented"]:
        return [*beginning, *ending]
    colours = [library.ColorJitter(0.4, 0.4, 0.4, 0.1), library.RandAugment()]
    return [*beginning, *colours, *ending, library.RandomErasing()]
