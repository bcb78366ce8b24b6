// When turning records into columns pays. A loop that reads some fields of many records moves whole cache
// lines of them from memory, and picks its values one by one; over columns it moves only what it reads, and
// whole vectors at a time. Converting costs a pass of its own. The model:
//
//   over records   passes * records * max(touched bytes / read rate, values / scalar rate + work)
//   over columns   passes * records * max(used bytes / read rate, values / vector rate + work)
//   converting     records * (touched bytes + used bytes) / convert rate, twice when the result goes back
//
// where `touched` are the bytes of the cache lines that hold a used field. Conversion pays when its cost is
// less than what the passes save. benchmarks/aos_soa holds the model against the clock.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/tensor/records/record_layout.h"

namespace forebay::tensor {

/// Of one core, when the data lies in memory; values are bytes or elements a nanosecond. The defaults are
/// those of a server core of 2021 (Zen 3), rounded: with them the model's break-even lay within 1.5 times of
/// the measured one for one to four used fields of 4 to 32.
struct ConversionRates {
  double read_bytes_per_ns = 21;     // one pass over consecutive memory
  double convert_bytes_per_ns = 22;  // split_records: bytes read and written
  double scalar_values_per_ns = 1;   // an element picked out of a record, and added
  double vector_values_per_ns = 6;   // an element of a column, likewise
};

struct ConversionUse {
  std::span<const int> fields;  // that the loop reads; indices into the layout
  double passes = 1;            // how often it runs over all records
  double work_ns = 0;           // computing per record that the layout does not change
  bool goes_back = false;       // columns are turned into records again afterwards
};

/// Nanoseconds a record.
struct ConversionEstimate {
  double records_ns = 0;         // all passes over records
  double columns_ns = 0;         // all passes over columns
  double convert_ns = 0;         // converting the used fields
  double break_even_passes = 0;  // from here on converting pays; infinite when columns are no faster

  bool pays() const { return convert_ns + columns_ns < records_ns; }
};

ConversionEstimate estimate_conversion(const RecordLayout& layout, const ConversionUse& use,
                                       const ConversionRates& rates = {});

/// The answer alone.
bool conversion_pays(const RecordLayout& layout, const ConversionUse& use, const ConversionRates& rates = {});

}  // namespace forebay::tensor
