// Which object of a mask is drawn: any of them, or one of a class that is drawn first.
#pragma once

#include <optional>
#include <span>

#include "forebay/base/random/random.h"
#include "forebay/operators/segmentation/blobs.h"

namespace forebay::operators {

struct ClassChance {
  int64_t label = 0;
  double weight = 1;  // next to those of other classes
};

using ClassChances = memory::ScratchVector<ClassChance>;

class ObjectDraw {
 public:
  /// Among `objects` of `rank` axes whose extents are at least `least` (one for all axes, one each, or none),
  /// and of those the `most` with the largest boxes. Borrows both.
  ObjectDraw(std::span<const Blob> objects, int rank, std::span<const int64_t> least,
             std::optional<int64_t> most)
      : objects_(objects), rank_(rank), least_(least), most_(most) {}

  /// One, each as likely as another; nullopt if there is none.
  std::optional<Blob> any(RandomStream& stream) const { return draw(std::nullopt, stream); }

  /// Draws a class by its weight among those that have objects, then one of these; another class if none of
  /// them is large enough. nullopt if there is no such class. Without chances, each class is as likely as
  /// another.
  std::optional<Blob> by_class(ClassChances chances, RandomStream& stream) const;
  std::optional<Blob> by_class(RandomStream& stream) const;

 private:
  /// The classes that have objects, in ascending order.
  ClassChances classes_present() const;
  std::optional<Blob> draw_by(ClassChances chances, RandomStream& stream) const;
  /// Of one class, or of all.
  std::optional<Blob> draw(std::optional<int64_t> label, RandomStream& stream) const;
  bool is_large_enough(const Blob& blob) const;

  std::span<const Blob> objects_;
  int rank_;
  std::span<const int64_t> least_;
  std::optional<int64_t> most_;
};

}  // namespace forebay::operators
