// Weights of mel filters, and their sums over sixteen spectra at a time.
#include "forebay/kernels/signal/mel.h"

#include <algorithm>
#include <cmath>

#include "forebay/base/caught.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/memory/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/mel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Filter `filter` of `bank` for the columns that `d` covers.
template <class D>
HWY_INLINE void sum_filter(D d, const MelFilterBank& bank, const MelFilterBank::Filter& filter,
                           const float* in, int64_t in_pitch, float* out) {
  const float* const weights = bank.weights().data() + filter.first_weight;
  const float* from = in + filter.first_bin * in_pitch;
  auto sum = hn::Zero(d);
  for (int64_t i = 0; i < filter.size; ++i, from += in_pitch) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[i]), hn::LoadU(d, from)));
  }
  hn::StoreU(sum, d, out);
}

/// The sums of columns [0, columns) of `in`, whose bins are `in_pitch` apart.
void sum_columns(const MelFilterBank& bank, int64_t columns, const float* in, int64_t in_pitch, float* out,
                 int64_t out_pitch) {
  const hn::CappedTag<float, kFftLanes> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t column = 0;
  for (; column + lanes <= columns; column += lanes) {
    float* to = out + column;
    for (const MelFilterBank::Filter& filter : bank.filters()) {
      sum_filter(d, bank, filter, in + column, in_pitch, to);
      to += out_pitch;
    }
  }
  for (; column < columns; ++column) {
    float* to = out + column;
    for (const MelFilterBank::Filter& filter : bank.filters()) {
      sum_filter(one, bank, filter, in + column, in_pitch, to);
      to += out_pitch;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
HWY_EXPORT(sum_columns);

namespace {

// Slaney's scale: 3 mels for each 200 Hz up to 1 kHz, then 27 for each factor of 6.4.
constexpr double kLinearStep = 200.0 / 3.0;
constexpr double kBreakHertz = 1000.0;
constexpr double kBreakMel = kBreakHertz / kLinearStep;
const double kLogarithmicStep = std::log(6.4) / 27.0;

}  // namespace

double mel_of_hertz(MelFormula formula, double hertz) {
  if (formula == MelFormula::kHtk) {
    return 1127.0 * std::log1p(hertz / 700.0);
  }
  return hertz < kBreakHertz ? hertz / kLinearStep
                             : kBreakMel + std::log(hertz / kBreakHertz) / kLogarithmicStep;
}

double hertz_of_mel(MelFormula formula, double mel) {
  if (formula == MelFormula::kHtk) {
    return 700.0 * std::expm1(mel / 1127.0);
  }
  return mel < kBreakMel ? mel * kLinearStep : kBreakHertz * std::exp(kLogarithmicStep * (mel - kBreakMel));
}

MelFilterBank::MelFilterBank(const MelOptions& options, int64_t num_bins) : num_bins_(num_bins) {
  const double bin_width =
      num_bins > 1 ? options.sample_rate / (2.0 * static_cast<double>(num_bins - 1)) : 0.0;
  const double low_mel = mel_of_hertz(options.formula, options.low);
  const double high_mel = mel_of_hertz(options.formula, options.high);
  const double step = (high_mel - low_mel) / static_cast<double>(options.num_filters + 1);
  const auto corner = [&](int64_t i) {
    return i > options.num_filters ? options.high
                                   : hertz_of_mel(options.formula, low_mel + step * static_cast<double>(i));
  };
  for (int64_t filter = 0; filter < options.num_filters; ++filter) {
    const double left = corner(filter);
    const double centre = corner(filter + 1);
    const double right = corner(filter + 2);
    const double scale = options.is_normalized ? 2.0 / (right - left) : 1.0;
    Filter row{0, static_cast<int64_t>(weights_.size()), 0};
    const auto first =
        bin_width > 0 ? static_cast<int64_t>(std::ceil(std::min(left / bin_width, 1e15))) : num_bins;
    for (int64_t bin = first; bin < num_bins; ++bin) {
      const double hertz = static_cast<double>(bin) * bin_width;
      if (hertz >= right) {
        break;
      }
      const double height =
          hertz < centre ? (hertz - left) / (centre - left) : (right - hertz) / (right - centre);
      row.first_bin = row.size == 0 ? bin : row.first_bin;
      ++row.size;
      weights_.push_back(static_cast<float>(scale * height));
    }
    filters_.push_back(row);
  }
}

Status MelFilterBank::run(const float* in, const Lines& lines, float* out) const {
  const auto sums = HWY_DYNAMIC_DISPATCH(sum_columns);
  if (lines.inner > 1) {
    for (int64_t outer = 0; outer < lines.outer; ++outer) {
      sums(*this, lines.inner, in + outer * num_bins_ * lines.inner, lines.inner,
           out + outer * num_filters() * lines.inner, lines.inner);
    }
    return ok_status();
  }
  return caught([&]() -> Status {
    memory::ScratchArray<float> rows(static_cast<size_t>(num_bins_ * kFftLanes));
    memory::ScratchArray<float> mels(static_cast<size_t>(num_filters() * kFftLanes));
    const LineBlocks from(lines);
    const LineBlocks to({lines.outer, num_filters(), 1});
    for (int64_t block = 0; block < from.count(); ++block) {
      from.read(in, block, num_bins_, rows.data());
      sums(*this, kFftLanes, rows.data(), kFftLanes, mels.data(), kFftLanes);
      to.write(mels.data(), block, out);
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
