// The window of a "random resized crop" (Szegedy et al., "Going deeper with convolutions", CVPR 2015, section
// 6), drawn as in DALI: the aspect ratio is log-uniform, the fraction of the area uniform.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/status.h"

namespace forebay::operators {

/// In pixels.
struct CropWindow {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
  friend bool operator==(const CropWindow&, const CropWindow&) = default;
};

struct RandomCropArguments {
  std::vector<float> random_aspect_ratio = {3.0F / 4.0F, 4.0F / 3.0F};
  std::vector<float> random_area = {0.08F, 1.0F};
  int64_t num_attempts = 10;

  Status check() const;

  /// Draws a window inside an image of that size. If no window can have an allowed ratio and area, the
  /// nearest allowed one is used; after num_attempts failures, the largest one with an allowed ratio, shrunk
  /// to the allowed area. The arguments must have passed check(). An empty image gives an empty window.
  CropWindow draw(RandomStream random, int64_t height, int64_t width) const;
};

template <class Description>
void add_random_crop_arguments(Description& description) {
  using A = RandomCropArguments;
  description.param("random_aspect_ratio", &A::random_aspect_ratio, "Range of the window's width / height.")
      .param("random_area", &A::random_area, "Range of the window's area as a part of the image's.")
      .param("num_attempts", &A::num_attempts,
             "How often a window is drawn before the nearest one is taken.");
}

}  // namespace forebay::operators
