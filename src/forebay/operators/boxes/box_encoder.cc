// box_encoder: boxes matched with the default boxes of a detector, as targets of its training.
#include <cmath>

#include "forebay/operators/boxes/boxes.h"

namespace forebay::operators {
namespace {

/// What an anchor is matched with so far.
struct AnchorMatch {
  float overlap = -1;
  int32_t box = 0;
};

struct BoxEncoder {
  std::vector<float> anchors;
  float criteria = 0.5f;
  bool offset = false;
  float scale = 1.0f;
  std::vector<float> means{0, 0, 0, 0};
  std::vector<float> stds{1, 1, 1, 1};

  int num_outputs() const { return 2; }

  Status prepare(const Arguments&) {
    if (anchors.empty() || anchors.size() % 4 != 0) {
      return invalid_argument("anchors has {} numbers; give four for each anchor", anchors.size());
    }
    if (!(criteria >= 0 && criteria <= 1)) {
      return invalid_argument("criteria is {}; it must be in [0, 1]", criteria);
    }
    if (means.size() != 4 || stds.size() != 4) {
      return invalid_argument("means has {} numbers, stds {}; give four of each", means.size(), stds.size());
    }
    for (const float deviation : stds) {
      if (deviation == 0) {
        return invalid_argument("stds holds a 0, which nothing can be divided by");
      }
    }
    for (size_t i = 0; i < anchors.size(); i += 4) {
      anchor_boxes_.push_back(BoxLayout::of_plane(true).read(&anchors[i]));
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& boxes_in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_rows_of_boxes(boxes_in, 4));
    FOREBAY_RETURN_IF_ERROR(check_labels(sample.input(1), boxes_in.shape()[0]));
    if (sample.input(1).volume() != boxes_in.shape()[0]) {
      return invalid_argument("a box has one label, not {}", sample.input(1).spec().to_string());
    }
    const auto count = static_cast<int64_t>(anchor_boxes_.size());
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView boxes,
                             sample.output(0, {{count, 4}, DType::kFloat, {}}));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView labels, sample.output(1, {{count}, DType::kInt32, {}}));
    const memory::ScratchVector<Box> given = read_boxes(boxes_in, BoxLayout::of_plane(true));
    const memory::ScratchVector<AnchorMatch> matches = match(given);
    const int32_t* label_of = sample.input(1).view().as<int32_t>();
    for (size_t i = 0; i < matches.size(); ++i) {
      const bool is_matched = matches[i].overlap > criteria;
      labels.as<int32_t>()[i] = is_matched ? label_of[matches[i].box] : 0;
      write(is_matched ? &given[static_cast<size_t>(matches[i].box)] : nullptr, anchor_boxes_[i],
            boxes.as<float>() + 4 * i);
    }
    return ok_status();
  }

 private:
  /// The box that overlaps each anchor most. Each box's own best anchor counts as overlapping by 2, so that
  /// every box has one. Of equals the last wins.
  memory::ScratchVector<AnchorMatch> match(std::span<const Box> boxes) const {
    memory::ScratchVector<AnchorMatch> matches(anchor_boxes_.size());
    memory::ScratchVector<float> overlaps(anchor_boxes_.size());
    for (size_t box = 0; box < boxes.size(); ++box) {
      size_t best = 0;
      for (size_t i = 0; i < overlaps.size(); ++i) {
        overlaps[i] = intersection_over_union(boxes[box], anchor_boxes_[i]);
        best = overlaps[i] >= overlaps[best] ? i : best;
      }
      overlaps[best] = 2;
      for (size_t i = 0; i < overlaps.size(); ++i) {
        if (overlaps[i] >= matches[i].overlap) {
          matches[i] = {overlaps[i], static_cast<int32_t>(box)};
        }
      }
    }
    return matches;
  }

  /// The target of one anchor: the centre and extents of its box, or the anchor's own without one; as offsets
  /// from the anchor, 0 without one.
  void write(const Box* box, const Box& anchor, float* to) const {
    for (int axis = 0; axis < 2; ++axis) {
      const Box& shown = box == nullptr ? anchor : *box;
      to[axis] = shown.center(axis);
      to[2 + axis] = shown.extent(axis);
      if (offset) {
        to[axis] = box == nullptr ? 0 : offset_of_center(*box, anchor, axis);
        to[2 + axis] = box == nullptr ? 0 : offset_of_extent(*box, anchor, axis);
      }
    }
  }

  // Equation (2) of Liu et al., "SSD: Single Shot MultiBox Detector", ECCV 2016, normalised.
  float offset_of_center(const Box& box, const Box& anchor, int axis) const {
    const float distance = box.center(axis) * scale - anchor.center(axis) * scale;
    return (distance / (anchor.extent(axis) * scale) - means[axis]) / stds[axis];
  }
  float offset_of_extent(const Box& box, const Box& anchor, int axis) const {
    const float ratio = box.extent(axis) * scale / (anchor.extent(axis) * scale);
    return (std::log(ratio) - means[2 + axis]) / stds[2 + axis];
  }

  std::vector<Box> anchor_boxes_;
};

}  // namespace

OperatorSpec box_encoder() {
  return describe<BoxEncoder>("box_encoder", "Matches boxes with a detector's default boxes.")
      .input("boxes", "FLOAT, n x 4: left, top, right, bottom.")
      .input("labels", "INT32, one for each box.")
      .param("anchors", &BoxEncoder::anchors, "The default boxes: left, top, right, bottom of each.")
      .required()
      .param("criteria", &BoxEncoder::criteria,
             "An anchor is matched if it and a box share more than this part of what they cover together.")
      .param("offset", &BoxEncoder::offset,
             "Whether boxes are given as offsets from their anchors, normalised: "
             "((box * scale - anchor * scale) - means) / stds.")
      .param("scale", &BoxEncoder::scale, "What coordinates are multiplied by before offsets are taken.")
      .param("means", &BoxEncoder::means, "Means of the offsets of x, y, width, height.")
      .param("stds", &BoxEncoder::stds, "Their standard deviations.")
      .outputs(
          "For each anchor the centre and extents of the box that it is matched with, or its own, and that "
          "box's label, or 0. A box is always matched with the anchor that overlaps it most. Offsets are "
          "equal on all targets but for the last bit of the C library's logarithm.")
      .matches("DALI box_encoder")
      .close()
      .build();
}

}  // namespace forebay::operators
