#include "forebay/exchange/arrow/text_views.h"

#include <cstring>

#include "forebay/base/metrics/metrics.h"
#include "forebay/memory/buffer.h"

namespace forebay::exchange {
namespace {

constexpr int32_t kMaxInline = 12;

// A row as stored in the second buffer: 4 bytes of length, then either up to 12 bytes of the value, or a
// prefix of 4 bytes, the number of a buffer and an offset in it.
struct View {
  int32_t length;
  char start[4];
  int32_t buffer;
  int32_t offset;
};
static_assert(sizeof(View) == 16);

class ViewReader {
 public:
  explicit ViewReader(const arrow::Array& array)
      : array_(array),
        buffer_count_(array.n_buffers - 3),
        views_(static_cast<const std::byte*>(array.buffers[1])),
        sizes_(static_cast<const std::byte*>(array.buffers[array.n_buffers - 1])) {}

  Status check() const {
    if ((views_ == nullptr && array_.offset + array_.length > 0) ||
        (sizes_ == nullptr && buffer_count_ > 0)) {
      return invalid_argument("an Arrow array of views lacks its views or the sizes of its buffers");
    }
    return ok_status();
  }

  /// The bytes of a row, either in the view itself or in a buffer.
  Result<std::string_view> row(int64_t index) const {
    const std::byte* place = views_ + index * static_cast<int64_t>(sizeof(View));
    View view;
    std::memcpy(&view, place, sizeof(view));
    if (view.length >= 0 && view.length <= kMaxInline) {
      return std::string_view(reinterpret_cast<const char*>(place) + sizeof(view.length),
                              static_cast<size_t>(view.length));
    }
    if (view.length < 0 || view.buffer < 0 || view.buffer >= buffer_count_ || view.offset < 0) {
      return invalid_argument("row {} of an Arrow array of views is invalid", index - array_.offset);
    }
    int64_t size = 0;
    std::memcpy(&size, sizes_ + view.buffer * static_cast<int64_t>(sizeof(size)), sizeof(size));
    const auto* bytes = static_cast<const char*>(array_.buffers[2 + view.buffer]);
    if (bytes == nullptr || int64_t{view.offset} + view.length > size) {
      return invalid_argument("row {} of an Arrow array of views points outside of its buffer",
                              index - array_.offset);
    }
    return std::string_view(bytes + view.offset, static_cast<size_t>(view.length));
  }

 private:
  const arrow::Array& array_;
  int64_t buffer_count_;
  const std::byte* views_;
  const std::byte* sizes_;
};

}  // namespace

Result<TextOfViews> text_of_views(const arrow::Array& array, const tensor::BufferRange& validity) {
  const ViewReader reader(array);
  FOREBAY_RETURN_IF_ERROR(reader.check());
  const int64_t rows = array.offset + array.length;
  TextOfViews text;
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef offsets,
                           memory::Buffer::allocate(static_cast<size_t>(rows + 1) * sizeof(int64_t)));
  auto* ends = static_cast<int64_t*>(offsets->data());
  const auto is_null = [&validity](int64_t row) {
    return validity.is_present() && !tensor::bit_at(validity.data(), row);
  };
  std::fill(ends, ends + array.offset + 1, int64_t{0});
  for (int64_t row = array.offset; row < rows; ++row) {
    std::string_view value;
    if (!is_null(row)) {
      FOREBAY_ASSIGN_OR_RETURN(value, reader.row(row));
    }
    ends[row + 1] = ends[row] + static_cast<int64_t>(value.size());
  }
  const auto bytes = static_cast<size_t>(ends[rows]);
  if (bytes > 0) {
    FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef values, memory::Buffer::allocate(bytes));
    auto* target = static_cast<char*>(values->data());
    for (int64_t row = array.offset; row < rows; ++row) {
      if (ends[row + 1] > ends[row]) {
        const std::string_view value = *reader.row(row);
        std::memcpy(target + ends[row], value.data(), value.size());  // copy: counted below
      }
    }
    counter("bytes_copied").add(bytes);
    text.bytes = std::move(values);
  }
  text.offsets = std::move(offsets);
  return text;
}

}  // namespace forebay::exchange
