#include "forebay/operators/boxes/box_turn.h"

#include <algorithm>
#include <cmath>

#include "forebay/kernels/image/rotation.h"

namespace forebay::operators {
namespace {

void enclose(PlaneSize point, Box& box) {
  for (size_t axis = 0; axis < 2; ++axis) {
    box.low[axis] = std::min(box.low[axis], point[axis]);
    box.high[axis] = std::max(box.high[axis], point[axis]);
  }
}

void shrink_towards(const Box& old, float shrink, Box& box) {
  // A box that lay may stand now: then its sides have changed places.
  const bool was_upright = old.extent(0) < old.extent(1);
  const bool is_upright = box.extent(0) < box.extent(1);
  const PlaneSize grown{box.extent(0) - old.extent(was_upright != is_upright ? 1 : 0),
                        box.extent(1) - old.extent(was_upright != is_upright ? 0 : 1)};
  for (size_t axis = 0; axis < 2; ++axis) {
    box.low[axis] += grown[axis] * 0.5f * shrink;
    box.high[axis] -= grown[axis] * 0.5f * shrink;
  }
}

}  // namespace

BoxTurn::BoxTurn(float degrees, PlaneSize image, PlaneSize canvas)
    : image_(image), canvas_(canvas), turn_(kernels::rotation_in_plane(kernels::radians(degrees))) {
}

Box BoxTurn::turned_about_middle(const Box& box) const {
  Box turned;
  turned.low = {INFINITY, INFINITY, 0};
  turned.high = {-INFINITY, -INFINITY, 0};
  for (const float x : {box.low[0], box.high[0]}) {
    for (const float y : {box.low[1], box.high[1]}) {
      enclose({x * turn_.at(0, 0) + y * turn_.at(1, 0) + canvas_[0] / 2,
               y * turn_.at(1, 1) + x * turn_.at(0, 1) + canvas_[1] / 2},
              turned);
    }
  }
  return turned;
}

Box BoxTurn::turned(Box box, bool is_in_parts, float shrink) const {
  for (size_t axis = 0; axis < 2; ++axis) {
    const float extent = image_[axis];
    const auto from_middle = [&](float at) { return is_in_parts ? (at - 0.5f) * extent : at - extent / 2; };
    box.low[axis] = from_middle(box.low[axis]);
    box.high[axis] = from_middle(box.high[axis]);
  }
  Box turned = turned_about_middle(box);
  if (shrink > 0) {
    shrink_towards(box, shrink, turned);
  }
  return turned;
}

float BoxTurn::clip(Box& box) const {
  const float whole = box.volume();
  for (size_t axis = 0; axis < 2; ++axis) {
    box.low[axis] = std::clamp(box.low[axis], 0.0f, canvas_[axis]);
    box.high[axis] = std::clamp(box.high[axis], 0.0f, canvas_[axis]);
  }
  return box.volume() / whole;
}

}  // namespace forebay::operators
