// Columns and tables across Arrow's C Data, C Stream and C Device interfaces. Exporting shares the memory.
// Importing shares it too and takes ownership of the structures; what must be copied (text views, misaligned
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
  bool may_copy = true;  // false: failed_precondition if a copy would be needed
  /// How thoroughly the content is checked before anybody uses it (host memory only).
  tensor::ValidationLevel validation = tensor::ValidationLevel::kFull;
};

/// Imports a column; takes ownership of `array` whether or not it succeeds. `schema` describes it (see
/// field_of; besides the field, it is needed for formats that are converted). invalid_argument, with the path
/// of the child, for malformed input.
Result<tensor::Column> import_column(const arrow::Schema& schema, arrow::Owned<arrow::Array> array,
                                     const ArrowImportOptions& options = {});

/// Waits until the column's content is ready and fills `out` with its memory. It may be released on any
/// thread. Host memory only.
Status export_column(const tensor::Column& column, arrow::Array* out);

/// The same for memory of any single kind; host memory is exported as CPU. `sync_event` is null, because this
/// waits for pending writes.
Status export_device_column(const tensor::Column& column, arrow::DeviceArray* out);

/// Waits for an event of a device's producer. For CUDA, `event` is a cudaEvent_t*.
using EventWait = std::function<Status(void* event, int32_t device_type, int64_t device_id)>;
/// Sets how such events are waited for; without it, arrays that carry an event are refused. Not to be called
/// during imports.
void set_event_wait(EventWait wait);

/// Text and lists must be in host memory, because their sizes are stored in the data.
Result<tensor::Column> import_device_column(const arrow::Schema& schema,
                                            arrow::Owned<arrow::DeviceArray> array,
                                            const ArrowImportOptions& options = {});

/// Columns of one type, in order, as a stream delivers them. Tables are columns of structs.
struct ColumnChunks {
  tensor::Field field;
  std::vector<tensor::Column> chunks;

  int64_t length() const;
};

/// Reads the stream to its end. Errors carry the producer's own message.
Result<ColumnChunks> import_stream(arrow::Owned<arrow::Stream> stream,
                                   const ArrowImportOptions& options = {});
Status export_stream(ColumnChunks chunks, arrow::Stream* out);

Result<ColumnChunks> import_device_stream(arrow::Owned<arrow::DeviceStream> stream,
                                          const ArrowImportOptions& options = {});
/// All chunks must be in one kind of memory.
Status export_device_stream(ColumnChunks chunks, arrow::DeviceStream* out);

}  // namespace forebay::exchange
