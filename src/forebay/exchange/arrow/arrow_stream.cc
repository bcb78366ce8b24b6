// Streams: columns of one type, one after another. One template serves both the plain and the device
// interface.
#include <cerrno>

#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrow/arrow_array.h"

namespace forebay::exchange {
namespace {

using tensor::Column;

template <class Stream>
struct ItemOf {
  using Type = arrow::Array;
};
template <>
struct ItemOf<arrow::DeviceStream> {
  using Type = arrow::DeviceArray;
};

Status export_item(const Column& column, arrow::Array* out) {
  return export_column(column, out);
}
Status export_item(const Column& column, arrow::DeviceArray* out) {
  return export_device_column(column, out);
}
Result<Column> import_item(const arrow::Schema& schema, arrow::Owned<arrow::Array> item,
                           const ArrowImportOptions& options) {
  return import_column(schema, std::move(item), options);
}
Result<Column> import_item(const arrow::Schema& schema, arrow::Owned<arrow::DeviceArray> item,
                           const ArrowImportOptions& options) {
  return import_device_column(schema, std::move(item), options);
}
bool is_end(const arrow::Array& item) {
  return item.release == nullptr;
}
bool is_end(const arrow::DeviceArray& item) {
  return item.array.release == nullptr;
}

// Owned by an exported stream.
struct StreamContent {
  ColumnChunks chunks;
  size_t next = 0;
  std::string error;

  int fail(const Status& status) {
    error = message(status);
    return EINVAL;
  }
};

template <class Stream>
StreamContent& content_of(Stream* stream) {
  return *static_cast<StreamContent*>(stream->private_data);
}

template <class Stream>
void fill(ColumnChunks chunks, Stream* out) {
  using Item = typename ItemOf<Stream>::Type;
  out->get_schema = [](Stream* self, arrow::Schema* schema) {
    const Status status = export_schema(content_of(self).chunks.field, schema);
    return status.ok() ? 0 : content_of(self).fail(status);
  };
  out->get_next = [](Stream* self, Item* item) {
    StreamContent& content = content_of(self);
    *item = {};
    if (content.next == content.chunks.chunks.size()) {
      return 0;
    }
    const Status status = export_item(content.chunks.chunks[content.next++], item);
    return status.ok() ? 0 : content.fail(status);
  };
  out->get_last_error = [](Stream* self) -> const char* {
    return content_of(self).error.empty() ? nullptr : content_of(self).error.c_str();
  };
  out->release = [](Stream* self) {
    delete static_cast<StreamContent*>(self->private_data);
    self->release = nullptr;
  };
  out->private_data = new StreamContent{std::move(chunks), 0, {}};
}

template <class Stream>
Status producer_error(Stream& stream, int error) {
  const char* words = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  return failed_precondition("the producer of an Arrow stream failed with {}: {}", error,
                             words == nullptr ? "it does not say why" : words);
}

template <class Stream>
Result<ColumnChunks> read_all(arrow::Owned<Stream> stream, const ArrowImportOptions& options) {
  using Item = typename ItemOf<Stream>::Type;
  if (stream->release == nullptr) {
    return invalid_argument("the Arrow stream has been released");
  }
  arrow::Schema raw_schema{};
  int error = stream->get_schema(stream.get(), &raw_schema);
  if (error != 0) {
    return producer_error(*stream, error);
  }
  const arrow::Owned<arrow::Schema> schema(&raw_schema);
  ColumnChunks read;
  FOREBAY_ASSIGN_OR_RETURN(read.field, field_of(*schema));
  for (;;) {
    Item item{};
    error = stream->get_next(stream.get(), &item);
    if (error != 0) {
      return producer_error(*stream, error);
    }
    if (is_end(item)) {
      return read;
    }
    FOREBAY_ASSIGN_OR_RETURN(Column column, import_item(*schema, arrow::Owned<Item>(&item), options));
    read.chunks.push_back(std::move(column));
  }
}

}  // namespace

int64_t ColumnChunks::length() const {
  int64_t rows = 0;
  for (const Column& chunk : chunks) {
    rows += chunk.length;
  }
  return rows;
}

Result<ColumnChunks> import_stream(arrow::Owned<arrow::Stream> stream, const ArrowImportOptions& options) {
  return read_all(std::move(stream), options);
}

Status export_stream(ColumnChunks chunks, arrow::Stream* out) {
  fill(std::move(chunks), out);
  return ok_status();
}

Result<ColumnChunks> import_device_stream(arrow::Owned<arrow::DeviceStream> stream,
                                          const ArrowImportOptions& options) {
  return read_all(std::move(stream), options);
}

Status export_device_stream(ColumnChunks chunks, arrow::DeviceStream* out) {
  int32_t device_type = dlpack::kCpu;
  for (const Column& chunk : chunks.chunks) {
    arrow::DeviceArray probe{};
    FOREBAY_RETURN_IF_ERROR(export_device_column(chunk, &probe));
    const arrow::Owned<arrow::DeviceArray> owned(&probe);
    if (&chunk != &chunks.chunks.front() && owned->device_type != device_type) {
      return failed_precondition("the chunks of a stream lie on devices of several types");
    }
    device_type = owned->device_type;
  }
  fill(std::move(chunks), out);
  out->device_type = device_type;
  return ok_status();
}

}  // namespace forebay::exchange
