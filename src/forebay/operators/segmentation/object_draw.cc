#include "forebay/operators/segmentation/object_draw.h"

#include <algorithm>
#include <utility>

#include "forebay/operators/layout/frames.h"

namespace forebay::operators {
namespace {

/// The number of a class, drawn by weights; nullopt if all weights are 0.
std::optional<size_t> draw_class(const ClassChances& classes, RandomStream& stream) {
  double sum = 0;
  for (const ClassChance& one : classes) {
    sum += one.weight;
  }
  if (!(sum > 0)) {
    return std::nullopt;
  }
  const double drawn = stream.uniform_double() * sum;
  std::optional<size_t> chosen;
  double before = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    before += classes[i].weight;
    if (classes[i].weight > 0) {
      chosen = i;
      if (drawn < before) {
        break;
      }
    }
  }
  return chosen;
}

}  // namespace

bool ObjectDraw::is_large_enough(const Blob& blob) const {
  for (size_t axis = 0; axis < static_cast<size_t>(rank_) && !least_.empty(); ++axis) {
    if (blob.high[axis] - blob.low[axis] < component(least_, static_cast<int64_t>(axis))) {
      return false;
    }
  }
  return true;
}

std::optional<Blob> ObjectDraw::draw(std::optional<int64_t> label, RandomStream& stream) const {
  memory::ScratchVector<size_t> numbers;
  for (size_t i = 0; i < objects_.size(); ++i) {
    if ((!label || objects_[i].label == *label) && is_large_enough(objects_[i])) {
      numbers.push_back(i);
    }
  }
  if (numbers.empty()) {
    return std::nullopt;
  }
  uint64_t count = numbers.size();
  if (most_ && static_cast<uint64_t>(*most_) < count) {
    count = static_cast<uint64_t>(*most_);
    std::ranges::sort(numbers, {}, [&](size_t i) { return std::pair(-objects_[i].volume(rank_), i); });
  }
  return objects_[numbers[static_cast<size_t>(stream.below(count))]];
}

ClassChances ObjectDraw::classes_present() const {
  ClassChances present;
  for (const Blob& blob : objects_) {
    present.push_back({blob.label, 1});
  }
  std::ranges::sort(present, {}, &ClassChance::label);
  const auto rest = std::ranges::unique(present, {}, &ClassChance::label);
  present.erase(rest.begin(), rest.end());
  return present;
}

std::optional<Blob> ObjectDraw::by_class(ClassChances chances, RandomStream& stream) const {
  const ClassChances present = classes_present();
  for (ClassChance& one : chances) {
    one.weight = std::ranges::binary_search(present, one.label, {}, &ClassChance::label) ? one.weight : 0;
  }
  return draw_by(std::move(chances), stream);
}

std::optional<Blob> ObjectDraw::by_class(RandomStream& stream) const {
  return draw_by(classes_present(), stream);
}

std::optional<Blob> ObjectDraw::draw_by(ClassChances chances, RandomStream& stream) const {
  while (const std::optional<size_t> chosen = draw_class(chances, stream)) {
    if (const std::optional<Blob> blob = draw(chances[*chosen].label, stream)) {
      return blob;
    }
    chances[*chosen].weight = 0;
  }
  return std::nullopt;
}

}  // namespace forebay::operators
