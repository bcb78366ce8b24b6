#include "forebay/kernels/image/lab.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace forebay::kernels {
namespace {

constexpr int kColorBits = 12;  // of the matrices
constexpr int kGammaBits = 3;   // behind the point of linear values of bytes
constexpr int kRootBits = 15;   // of f(t), the cube root with its linear part
constexpr int kBackBits = 14;   // of f and of X, Y, Z on the way back
constexpr int kBack = 1 << kBackBits;
constexpr int kInverseGammaSize = 4096;
constexpr std::array<double, 3> kWhite{0.950456, 1, 1.088754};  // D65
constexpr double kToXyz[3][3] = {
    {0.412453, 0.357580, 0.180423}, {0.212671, 0.715160, 0.072169}, {0.019334, 0.119193, 0.950227}};
constexpr double kFromXyz[3][3] = {
    {3.240479, -1.53715, -0.498535}, {-0.969256, 1.875991, 0.041556}, {0.055648, -0.204043, 1.057311}};

int rounded(double value) {
  return static_cast<int>(std::nearbyint(value));
}

int descaled(int value, int bits) {
  return (value + (1 << (bits - 1))) >> bits;
}

uint8_t byte_of(int value) {
  return static_cast<uint8_t>(std::clamp(value, 0, 255));
}

struct LabTables {
  std::array<int, 256> linear;
  std::array<int, (256 * 3 / 2) << kGammaBits> root;
  std::array<int, kInverseGammaSize> gamma;
  std::array<int, 256> luminance;  // Y of a byte of L*
  std::array<int, 256> root_of_y;  // f(Y / white)
  int to_xyz[3][3];
  int from_xyz[3][3];

  LabTables() {
    for (size_t i = 0; i < 256; ++i) {
      const double part = static_cast<double>(i) / 255;
      const double value = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
      linear[i] = rounded(255 * (1 << kGammaBits) * value);
      const double lightness = static_cast<double>(i) * 100 / 255;
      const bool is_dark = lightness <= 8;
      const double y = lightness * 27 / 24389;
      const double f = is_dark ? y * 841 / 108 + 16.0 / 116 : (lightness + 16) / 116;
      luminance[i] = rounded((is_dark ? y : f * f * f) * kBack);
      root_of_y[i] = rounded(f * kBack);
    }
    for (size_t i = 0; i < root.size(); ++i) {
      const double t = static_cast<double>(i) / (255 << kGammaBits);
      root[i] = rounded((1 << kRootBits) * (t < 216.0 / 24389 ? t * 841 / 108 + 16.0 / 116 : std::cbrt(t)));
    }
    for (size_t i = 0; i < gamma.size(); ++i) {
      const double part = static_cast<double>(i) / kInverseGammaSize;
      gamma[i] = rounded(255 * (part <= 0.0031308 ? part * 12.92 : 1.055 * std::pow(part, 1 / 2.4) - 0.055));
    }
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) {
        to_xyz[i][j] = rounded((1 << kColorBits) * kToXyz[i][j] / kWhite[i]);
        from_xyz[i][j] = rounded((1 << kColorBits) * kFromXyz[i][j] * kWhite[j]);
      }
    }
  }
};

const LabTables& lab_tables() {
  static const auto* tables = new LabTables();
  return *tables;
}

int weighted(const int (&row)[3], int a, int b, int c) {
  return row[0] * a + row[1] * b + row[2] * c;
}

/// X or Z of f(X / white).
int cubed(int f) {
  if (f <= kBack * 6 / 29) {
    constexpr int kPeriods = 1 << 20;  // makes what is divided positive, so that the quotient is rounded down
    return (f * 108 + 841 * kPeriods) / 841 - kPeriods - kBack * 16 / 116 * 108 / 841;
  }
  return static_cast<int>(int64_t{f} * f / kBack * f / kBack);
}

}  // namespace

void rgb_to_lab(const uint8_t* in, int64_t pixels, uint8_t* out) {
  constexpr int kLightnessScale = (116 * 255 + 50) / 100;
  constexpr int kLightnessShift = -((16 * 255 * (1 << kRootBits) + 50) / 100);
  constexpr int kMiddle = 128 << kRootBits;
  const LabTables& tables = lab_tables();
  for (int64_t i = 0; i < 3 * pixels; i += 3) {
    const int red = tables.linear[in[i]];
    const int green = tables.linear[in[i + 1]];
    const int blue = tables.linear[in[i + 2]];
    const auto root_of = [&](size_t row) {
      const int value = descaled(weighted(tables.to_xyz[row], red, green, blue), kColorBits);
      return tables.root[static_cast<size_t>(value)];
    };
    const int fx = root_of(0);
    const int fy = root_of(1);
    const int fz = root_of(2);
    out[i] = byte_of(descaled(kLightnessScale * fy + kLightnessShift, kRootBits));
    out[i + 1] = byte_of(descaled(500 * (fx - fy) + kMiddle, kRootBits));
    out[i + 2] = byte_of(descaled(200 * (fy - fz) + kMiddle, kRootBits));
  }
}

void lab_to_rgb(const uint8_t* in, int64_t pixels, uint8_t* out) {
  const LabTables& tables = lab_tables();
  for (int64_t i = 0; i < 3 * pixels; i += 3) {
    const int y = tables.luminance[in[i]];
    const int fy = tables.root_of_y[in[i]];
    const int a = ((5 * in[i + 1] * 53687 + (1 << 7)) >> 13) - 128 * kBack / 500;  // of 500
    const int b = ((in[i + 2] * 41943 + (1 << 4)) >> 9) - 128 * kBack / 200 + 1;   // of 200
    const int x = cubed(fy + a);
    const int z = cubed(fy - b);
    for (size_t channel = 0; channel < 3; ++channel) {
      const int value = descaled(weighted(tables.from_xyz[channel], x, y, z), kBackBits);
      out[i + static_cast<int64_t>(channel)] =
          byte_of(tables.gamma[static_cast<size_t>(std::clamp(value, 0, kInverseGammaSize - 1))]);
    }
  }
}

}  // namespace forebay::kernels
