// Columns and tables across Arrow's C Data, C Stream and C Device interfaces. Exporting shares the memory;
// importing shares it too and takes the structures over; what must be copied (views of text, misaligned
// buffers) is counted.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/exchange/arrow/arrow_abi.h"
#include "forebay/exchange/arrow/arrow_schema.h"
#include "forebay/tensor/columns/column.h"
#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::exchange {

struct ArrowImportOptions {
  bool may_copy = true;  // false: failed_precondition where a copy would be needed
  /// How deep the content is checked before anybody uses it (host memory only).
  tensor::ValidationLevel validation = tensor::ValidationLevel::kFull;
};

/// Takes `array` over when it succeeds or not. `schema` says what it is (see field_of; it is needed besides
/// the field for the formats that are converted). invalid_argument, with the path of the child, for what is
/// broken.
Result<tensor::Column> import_column(const arrow::Schema& schema, arrow::Owned<arrow::Array> array,
                                     const ArrowImportOptions& options = {});

/// Fills `out` with the column's memory, after its content is ready. Releasing may happen on any thread.
/// Memory of the host only.
Status export_column(const tensor::Column& column, arrow::Array* out);

/// The same for memory of any one kind: CPU for host memory. `sync_event` is null: what was still being
/// written has been waited for.
Status export_device_column(const tensor::Column& column, arrow::DeviceArray* out);

/// Waits for an event of a device's producer; CUDA: `event` is a cudaEvent_t*.
using EventWait = std::function<Status(void* event, int32_t device_type, int64_t device_id)>;
/// How such events are waited for; without it arrays that carry one are refused. Not while imports run.
void set_event_wait(EventWait wait);

/// Text and lists only in host memory, since their sizes stand in the data.
Result<tensor::Column> import_device_column(const arrow::Schema& schema,
                                            arrow::Owned<arrow::DeviceArray> array,
                                            const ArrowImportOptions& options = {});

/// Columns of one type, in order: what a stream passes. Tables are columns of structs.
struct ColumnChunks {
  tensor::Field field;
  std::vector<tensor::Column> chunks;

  int64_t length() const;
};

/// Reads the stream to its end. The producer's own words when it fails.
Result<ColumnChunks> import_stream(arrow::Owned<arrow::Stream> stream,
                                   const ArrowImportOptions& options = {});
Status export_stream(ColumnChunks chunks, arrow::Stream* out);

Result<ColumnChunks> import_device_stream(arrow::Owned<arrow::DeviceStream> stream,
                                          const ArrowImportOptions& options = {});
/// All chunks in one kind of memory.
Status export_device_stream(ColumnChunks chunks, arrow::DeviceStream* out);

}  // namespace forebay::exchange
