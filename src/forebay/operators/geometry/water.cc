// water: an image seen through waves.
#include <cmath>
#include <numbers>

#include "forebay/operators/geometry/displacement.h"

namespace forebay::operators {
namespace {

constexpr float kSlowWave = 2 * std::numbers::pi_v<float> / 128;

struct Water : DisplacementArguments {
  float ampl_x = 10;
  float ampl_y = 10;
  float freq_x = kSlowWave;
  float freq_y = kSlowWave;
  float phase_x = 0;
  float phase_y = 0;

  Status run(Sample& sample) const {
    return displace(sample, [&](const Shape&, int64_t, int64_t y, std::span<float> xs, std::span<float> ys) {
      const auto row = static_cast<float>(y);
      const float along = ampl_x * std::sin(freq_x * row + phase_x);
      for (size_t x = 0; x < xs.size(); ++x) {
        const auto column = static_cast<float>(x);
        xs[x] = column + along - 0.5f;
        ys[x] = row + ampl_y * std::cos(freq_y * column + phase_y) - 0.5f;
      }
    });
  }
};

}  // namespace

OperatorSpec water() {
  return describe<Water>("water", "Lets images look as if under water.")
      .input("data", "Images or sequences, HWC, of UINT8, UINT16, INT16, INT32 or FLOAT.")
      .param("ampl_x", &Water::ampl_x, "How far the waves reach along x, in pixels.")
      .param("ampl_y", &Water::ampl_y, "How far they reach along y.")
      .param("freq_x", &Water::freq_x, "Radians a row of the waves along x.")
      .param("freq_y", &Water::freq_y, "Radians a column of the waves along y.")
      .param("phase_x", &Water::phase_x, "Where the waves along x begin, in radians.")
      .param("phase_y", &Water::phase_y, "Where the waves along y begin.")
      .group(add_displacement_arguments<Water>)
      .outputs("The image; equal on all targets but for the last bit of the C library's sine and cosine.")
      .matches("DALI water")
      .close()
      .build();
}

}  // namespace forebay::operators
