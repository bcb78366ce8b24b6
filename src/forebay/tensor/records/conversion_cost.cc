#include "forebay/tensor/records/conversion_cost.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "forebay/base/check.h"
#include "forebay/tensor/records/record_windows.h"

namespace forebay::tensor {
namespace {

// Bytes of cache lines per record that a loop over these fields moves, averaged over the possible alignments
// of records to cache lines.
double touched_bytes(const RecordLayout& layout, std::span<const int> fields) {
  const int64_t stride = layout.stride_bytes();
  const int64_t period = std::min<int64_t>(kCacheLineBytes / std::gcd(stride, kCacheLineBytes),
                                           kCacheLineBytes);  // in records; then the pattern repeats
  std::vector<bool> lines(period * stride / kCacheLineBytes + 2);
  for (int64_t record = 0; record < period; ++record) {
    for (const int index : fields) {
      const RecordField& field = layout.fields()[index];
      const int64_t first = record * stride + field.offset_bytes;
      const int64_t last = (first + field.size_bytes() - 1) / kCacheLineBytes;
      std::fill(lines.begin() + first / kCacheLineBytes, lines.begin() + last + 1, true);
    }
  }
  const auto touched = std::count(lines.begin(), lines.end(), true);
  return static_cast<double>(touched * kCacheLineBytes) / static_cast<double>(period);
}

}  // namespace

ConversionEstimate estimate_conversion(const RecordLayout& layout, const ConversionUse& use,
                                       const ConversionRates& rates) {
  double used_bytes = 0;
  double values = 0;
  for (const int index : use.fields) {
    FOREBAY_CHECK(index >= 0 && index < layout.field_count());
    used_bytes += static_cast<double>(layout.fields()[index].size_bytes());
    values += static_cast<double>(layout.fields()[index].count);
  }
  const double touched = touched_bytes(layout, use.fields);
  double over_records =
      std::max(touched / rates.read_bytes_per_ns, values / rates.scalar_values_per_ns + use.work_ns);
  const double over_columns =
      std::max(used_bytes / rates.read_bytes_per_ns, values / rates.vector_values_per_ns + use.work_ns);
  if (layout.field_count() == 1 && layout.payload_bytes() == layout.stride_bytes()) {
    over_records = over_columns;  // such records already are a column
  }
  ConversionEstimate estimate;
  estimate.records_ns = use.passes * over_records;
  estimate.columns_ns = use.passes * over_columns;
  estimate.convert_ns = (use.goes_back ? 2 : 1) * (touched + used_bytes) / rates.convert_bytes_per_ns;
  const double saved = over_records - over_columns;
  estimate.break_even_passes =
      saved > 0 ? estimate.convert_ns / saved : std::numeric_limits<double>::infinity();
  return estimate;
}

bool conversion_pays(const RecordLayout& layout, const ConversionUse& use, const ConversionRates& rates) {
  return estimate_conversion(layout, use, rates).pays();
}

}  // namespace forebay::tensor
