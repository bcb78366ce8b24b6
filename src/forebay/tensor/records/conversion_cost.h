// Estimates when converting records to columns pays off. A loop that reads some fields of many records moves
// whole cache lines of the records from memory and picks values one at a time; over columns it moves only
// what it reads, whole vectors at a time. The conversion itself costs a pass. The model:
//
//   over records   passes * records * max(touched bytes / read rate, values / scalar rate + work)
//   over columns   passes * records * max(used bytes / read rate, values / vector rate + work)
//   converting     records * (touched bytes + used bytes) / convert rate, twice when the result goes back
//
// where `touched` counts the bytes of cache lines that hold a used field. Converting pays if it costs less
// than the passes save. benchmarks/aos_soa compares the model with measured times.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/tensor/records/record_layout.h"

namespace forebay::tensor {

/// Rates of one core when the data is in memory, in bytes or elements per nanosecond. The defaults are those
/// of a 2021 server core (Zen 3), rounded. With them the model's break-even was within a factor of 1.5 of the
/// measured one, for one to four used fields out of 4 to 32.
struct ConversionRates {
  double read_bytes_per_ns = 21;     // a pass over consecutive memory
  double convert_bytes_per_ns = 22;  // split_records: bytes read and written
  double scalar_values_per_ns = 1;   // picking an element out of a record and adding it
  double vector_values_per_ns = 6;   // adding an element of a column
};

struct ConversionUse {
  std::span<const int> fields;  // the fields that the loop reads, as indices into the layout
  double passes = 1;            // how often the loop runs over all records
  double work_ns = 0;           // computation per record that does not depend on the layout
  bool goes_back = false;       // whether columns are converted back to records afterwards
};

/// In nanoseconds per record.
struct ConversionEstimate {
  double records_ns = 0;  // all passes over records
  double columns_ns = 0;  // all passes over columns
  double convert_ns = 0;  // converting the used fields
  // From this many passes on, converting pays; infinite if columns are no faster.
  double break_even_passes = 0;

  bool pays() const { return convert_ns + columns_ns < records_ns; }
};

ConversionEstimate estimate_conversion(const RecordLayout& layout, const ConversionUse& use,
                                       const ConversionRates& rates = {});

/// Only whether it pays.
bool conversion_pays(const RecordLayout& layout, const ConversionUse& use, const ConversionRates& rates = {});

}  // namespace forebay::tensor
