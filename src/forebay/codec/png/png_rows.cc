#include "forebay/codec/png/png_rows.h"

#include <cmath>
#include <vector>

#include "forebay/codec/channel_map.h"

namespace forebay::codec {
namespace {

constexpr int kRed = 9797;     // 0.299 * 2^15, truncated
constexpr int kGreen = 19234;  // 0.587 * 2^15, truncated
constexpr int kBlue = (1 << 15) - kRed - kGreen;
constexpr int kHalf = 1 << 14;
constexpr double kGammaUnit = 1e5;

std::vector<uint16_t> power_table(double exponent, int white) {
  std::vector<uint16_t> table(static_cast<size_t>(white) + 1);
  for (int i = 0; i <= white; ++i) {
    table[i] =
        static_cast<uint16_t>(std::floor(white * std::pow(i / static_cast<double>(white), exponent) + 0.5));
  }
  return table;
}

double reciprocal(double gamma) {
  return std::floor(kGammaUnit * kGammaUnit / gamma + 0.5);
}

}  // namespace

struct GreyWeights::Tables {
  std::vector<uint16_t> to_linear;
  std::vector<uint16_t> from_linear;
};

GreyWeights::GreyWeights(uint32_t gamma, int white) : is_wide_(white > 255) {
  constexpr uint32_t kNearlyOne = 5000;  // a gamma from 0.95 to 1.05 counts as 1
  const bool is_one = gamma + kNearlyOne >= 100000 && gamma <= 100000 + kNearlyOne;
  if (gamma == 0 || is_one) {
    return;
  }
  const double inverse = reciprocal(gamma);
  tables_ = std::make_shared<const Tables>(
      Tables{power_table(inverse / kGammaUnit, white), power_table(reciprocal(inverse) / kGammaUnit, white)});
}

GreyWeights::~GreyWeights() = default;

int GreyWeights::operator()(int red, int green, int blue) const {
  if (red == green && red == blue) {
    return red;
  }
  // 16-bit values times 15-bit weights that sum to 2^15 stay below 2^31.
  if (tables_ == nullptr) {
    return (red * kRed + green * kGreen + blue * kBlue + (is_wide_ ? kHalf : 0)) >> 15;
  }
  const auto& linear = tables_->to_linear;
  return tables_
      ->from_linear[(linear[red] * kRed + linear[green] * kGreen + linear[blue] * kBlue + kHalf) >> 15];
}

bool PngRowMap::is_identity() const {
  return is_in_form(form, channels);
}

void PngRowMap::operator()(const void* in, void* out, int64_t count) const {
  if (is_wide) {
    map_channels(form, channels, static_cast<const uint16_t*>(in), static_cast<uint16_t*>(out), count,
                 weights);
  } else {
    map_channels(form, channels, static_cast<const uint8_t*>(in), static_cast<uint8_t*>(out), count, weights);
  }
}

}  // namespace forebay::codec
