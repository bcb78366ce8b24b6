"""Boxes from a detector's offsets, and the mean average precision of boxes (Everingham et al., "The Pascal Visual Object
Classes challenge", IJCV 2010, with the area under the whole curve)."""

import numpy as np

LEAST_CHANCE = 0.05
MOST_OVERLAP = 0.45  # of two boxes of one class that both stay


def overlaps(box, boxes):
    """What a box shares with each of the others, as part of what both cover."""
    low = np.maximum(box[:2], boxes[:, :2])
    high = np.minimum(box[2:], boxes[:, 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    area = np.prod(box[2:] - box[:2]) + np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    return shared / np.maximum(area - shared, 1e-9)


def boxes_of(anchors, offsets, chances):
    """(class, chance, box) of what is found: of boxes that overlap the likeliest stays."""
    extent = anchors[:, 2:] - anchors[:, :2]
    center = anchors[:, :2] + extent / 2 + offsets[:, :2] * extent
    extent = extent * np.exp(np.clip(offsets[:, 2:], -4, 4))
    boxes = np.concatenate([center - extent / 2, center + extent / 2], axis=1)
    found = []
    for label in range(1, chances.shape[1]):
        left = np.flatnonzero(chances[:, label] > LEAST_CHANCE)
        left = left[np.argsort(-chances[left, label])]
        while len(left):
            best, left = left[0], left[1:]
            found.append((label, float(chances[best, label]), boxes[best]))
            left = left[overlaps(boxes[best], boxes[left]) <= MOST_OVERLAP]
    return found


def average_precision(hits, known):
    """Of finds in the order of their chances, each a hit or not: the area under precision by recall."""
    if known == 0 or not len(hits):
        return 0.0
    true = np.cumsum(hits)
    precision = true / np.arange(1, len(hits) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(best * hits) / known)


def mean_average_precision(found, known, classes, least=0.5):
    """Of all pictures: (class, chance, box) found, and (boxes, labels) known. A box is hit once, by `least` overlap."""
    scores = []
    for label in range(1, classes + 1):
        finds = sorted(((chance, picture, box) for picture, all_found in enumerate(found) for one, chance, box in all_found
                        if one == label), key=lambda find: -find[0])
        wanted = [boxes[labels == label] for boxes, labels in known]
        is_hit = [np.zeros(len(boxes), bool) for boxes in wanted]
        hits = np.zeros(len(finds))
        for place, (_, picture, box) in enumerate(finds):
            shared = overlaps(box, wanted[picture]) * ~is_hit[picture]
            if len(shared) and shared.max() >= least:
                is_hit[picture][shared.argmax()] = True
                hits[place] = 1
        scores.append(average_precision(hits, sum(map(len, wanted))))
    return float(np.mean(scores))
