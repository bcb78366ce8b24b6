"""Operators on boxes, points, masks and affine maps."""

from operator_table import measured

PICTURE = [480, 640]


def anchors() -> list[float]:
    """SSD's default boxes for pictures of 300 x 300: 8,732 of them."""
    made = []
    for cells, low, high, ratios in ((38, 0.1, 0.2, 2), (19, 0.2, 0.37, 3), (10, 0.37, 0.54, 3), (5, 0.54, 0.71, 3),
                                     (3, 0.71, 0.88, 2), (1, 0.88, 1.05, 2)):
        sizes = [(low, low), ((low * high) ** 0.5,) * 2]
        for ratio in range(2, ratios + 1):
            sizes += [(low * ratio**0.5, low / ratio**0.5), (low / ratio**0.5, low * ratio**0.5)]
        for y in range(cells):
            for x in range(cells):
                for width, height in sizes:
                    left, top = (x + 0.5) / cells - width / 2, (y + 0.5) / cells - height / 2
                    made += [min(max(end, 0.0), 1.0) for end in (left, top, left + width, top + height)]
    return made


ANCHORS = anchors()

measured("bb_flip", lambda lib, x: lib.fn.bb_flip(x, ltrb=True), "boxes", bar="close")
measured("bbox_paste", lambda lib, x: lib.fn.bbox_paste(x, ltrb=True, ratio=1.7, paste_x=0.2), "boxes", bar="close")
measured("bbox_rotate", lambda lib, x, y: lib.fn.bbox_rotate(x, y, angle=17.0, input_shape=PICTURE), "boxes", "labels",
         bar="close")
measured("box_encoder", lambda lib, x, y: lib.fn.box_encoder(x, y, anchors=ANCHORS), "boxes", "labels", bar="close")
measured("box_encoder offsets", lambda lib, x, y: lib.fn.box_encoder(
    x, y, anchors=ANCHORS, offset=True, scale=300.0, stds=[0.1, 0.1, 0.2, 0.2]), "boxes", "labels", bar="close")
measured("random_bbox_crop", lambda lib, x, y: lib.fn.random_bbox_crop(
    x, y, scaling=[0.3, 1.0], aspect_ratio=[0.5, 2.0], thresholds=[0.0, 0.1, 0.3, 0.5, 0.7, 0.9], num_attempts=10,
    bbox_layout="xyXY"), "boxes", "labels", bar="drawn")
measured("ssd_random_crop", lambda lib, x, y, z: lib.fn.ssd_random_crop(x, y, z, num_attempts=1), "photos", "boxes",
         "labels", bar="drawn")
measured("roi_random_crop", lambda lib, x: lib.fn.roi_random_crop(
    x, crop_shape=[224, 224], roi_start=[100, 120], roi_shape=[90, 300]), "mosaics", bar="drawn")
measured("coord_flip", lambda lib, x: lib.fn.coord_flip(x), "points", bar="close")
measured("coord_transform", lambda lib, x: lib.fn.coord_transform(x, MT=[0.9, 0.1, 2.0, -0.1, 0.9, 3.0]), "points",
         bar="close")

measured("segmentation.random_mask_pixel", lambda lib, x: lib.fn.segmentation.random_mask_pixel(x, foreground=1),
         "masks", bar="drawn")
measured("segmentation.random_object_bbox", lambda lib, x: lib.fn.segmentation.random_object_bbox(
    x, output_class=True, format="box"), "masks", bar="drawn")
measured("segmentation.random_object_bbox largest", lambda lib, x: lib.fn.segmentation.random_object_bbox(
    x, k_largest=2, ignore_class=True), "masks", bar="drawn")
measured("segmentation.select_masks", lambda lib, ids, x, y: lib.fn.segmentation.select_masks(
    ids, x, y, reindex_masks=True), "mask_ids", "polygons", "vertices")

for name, arguments in {"translation": {"offset": [1.0, 2.0]}, "scale": {"scale": [2.0, 3.0], "center": [1.0, 4.0]},
                        "rotation": {"angle": 30.0, "center": [1.0, 2.0]}, "shear": {"angles": [20.0, 30.0]},
                        "crop": {"from_end": [640.0, 480.0], "to_end": [224.0, 224.0]}}.items():
    measured(f"transforms.{name}", lambda lib, x, name=name, arguments=arguments: getattr(lib.fn.transforms, name)(
        x, **arguments), "matrices", bar="close")
measured("transforms.combine", lambda lib, x, y: lib.fn.transforms.combine(x, y, x), "matrices", "matrices",
         bar="close")
