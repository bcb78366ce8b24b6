// The elements of a tensor as they come out of a JSON array: ranges checked, rounded once, counted by level.
#include "forebay/serving/protocol/element_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/ranges.h>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

constexpr uint64_t kMaxBytesElement = std::numeric_limits<uint32_t>::max();

// The number of `text`, whose nearest double is `value`, as a float. A double halfway between two floats may
// have been rounded to there, and then the text decides; so it does where floats have fewer bits.
float float_of(double value, std::string_view text) {
  constexpr int kDroppedBits = std::numeric_limits<double>::digits - std::numeric_limits<float>::digits;
  constexpr uint64_t kDropped = (uint64_t{1} << kDroppedBits) - 1;
  constexpr uint64_t kHalf = uint64_t{1} << (kDroppedBits - 1);
  auto rounded = static_cast<float>(value);
  const bool is_halfway = (std::bit_cast<uint64_t>(value) & kDropped) == kHalf;
  if (is_halfway || std::abs(value) < std::numeric_limits<float>::min()) {
    std::from_chars(text.data(), text.data() + text.size(), rounded);
  }
  return rounded;
}

// Owns the bytes as they were gathered, without copying them.
memory::BufferRef buffer_of(std::string bytes) {
  if (bytes.empty()) {
    return nullptr;
  }
  auto held = std::make_shared<std::string>(std::move(bytes));
  char* const data = held->data();
  const size_t size = held->size();
  return memory::Buffer::wrap(data, size, memory::MemoryKind::kHost, [held = std::move(held)] {});
}

// Of arrays at each level: all elements, those of one index of the first extent, and so on.
std::vector<int64_t> volumes_of_levels(const std::vector<int64_t>& shape, int64_t volume) {
  std::vector<int64_t> volumes(std::max<size_t>(shape.size(), 1), volume);
  // Taken from the end each product divides `volume`, so none is too large, unless that is 0.
  int64_t product = 1;
  for (size_t level = shape.size(); level-- > 1 && volume > 0;) {
    product *= shape[level];
    volumes[level] = product;
  }
  return volumes;
}

}  // namespace

Result<ElementWriter> ElementWriter::make(TensorHead head, uint64_t max_elements) {
  if (head.datatype == Datatype::kFp16 || head.datatype == Datatype::kBf16) {
    return invalid_argument("{}: {} cannot be given as JSON; send it as binary data", head.label,
                            name_of(head.datatype));
  }
  const Result<int64_t> volume = volume_of(head.shape);
  if (!volume.ok()) {
    return annotate(volume.status(), head.label);
  }
  if (static_cast<uint64_t>(*volume) > max_elements) {
    return invalid_argument("{}: its shape [{}] has {} elements, more than the request can hold", head.label,
                            fmt::join(head.shape, ","), *volume);
  }
  ElementWriter writer(std::move(head));
  writer.volumes_ = volumes_of_levels(writer.head_.shape, *volume);
  const size_t size_bytes = static_cast<size_t>(*volume) * size_of(writer.head_.datatype);
  if (size_bytes > 0) {
    FOREBAY_ASSIGN_OR_RETURN(writer.buffer_, memory::Buffer::allocate(size_bytes));
  }
  return writer;
}

Status ElementWriter::begin_array() {
  if (starts_.size() >= volumes_.size()) {
    return invalid_argument("{}: its data is nested deeper than its shape [{}]", head_.label,
                            fmt::join(head_.shape, ","));
  }
  starts_.push_back(count_);
  return ok_status();
}

Status ElementWriter::end_array() {
  const int64_t found = count_ - starts_.back();
  starts_.pop_back();
  const int64_t wanted = volumes_[starts_.size()];
  if (found != wanted) {
    return invalid_argument("{}: an array of its data has {} elements where its shape [{}] needs {}",
                            head_.label, found, fmt::join(head_.shape, ","), wanted);
  }
  return ok_status();
}

Status ElementWriter::check_room() const {
  if (count_ == volumes_[0]) {
    return invalid_argument("{}: its data has more than the {} elements of its shape [{}]", head_.label,
                            count_, fmt::join(head_.shape, ","));
  }
  return ok_status();
}

Status ElementWriter::unfit(std::string_view found) const {
  return invalid_argument("{}: element {} is {}, which {} cannot hold", head_.label, count_, clipped(found),
                          name_of(head_.datatype));
}

template <class Element>
Status ElementWriter::store(Element value) {
  FOREBAY_RETURN_IF_ERROR(check_room());
  static_cast<Element*>(buffer_->data())[count_] = value;
  ++count_;
  return ok_status();
}

template <class Element, class Integer>
Status ElementWriter::store_in_range(Integer value) {
  if (!std::in_range<Element>(value)) {
    return unfit(std::to_string(value));
  }
  return store(static_cast<Element>(value));
}

template <class Integer>
Status ElementWriter::put_integer(Integer value) {
  switch (head_.datatype) {
    case Datatype::kUint8:
      return store_in_range<uint8_t>(value);
    case Datatype::kUint16:
      return store_in_range<uint16_t>(value);
    case Datatype::kUint32:
      return store_in_range<uint32_t>(value);
    case Datatype::kUint64:
      return store_in_range<uint64_t>(value);
    case Datatype::kInt8:
      return store_in_range<int8_t>(value);
    case Datatype::kInt16:
      return store_in_range<int16_t>(value);
    case Datatype::kInt32:
      return store_in_range<int32_t>(value);
    case Datatype::kInt64:
      return store_in_range<int64_t>(value);
    case Datatype::kFp32:
      return store(static_cast<float>(value));
    case Datatype::kFp64:
      return store(static_cast<double>(value));
    default:
      return unfit(std::to_string(value));
  }
}

Status ElementWriter::put(bool value) {
  return head_.datatype == Datatype::kBool ? store(value) : unfit(value ? "true" : "false");
}

Status ElementWriter::put(int64_t value) {
  return put_integer(value);
}

Status ElementWriter::put(uint64_t value) {
  return put_integer(value);
}

Status ElementWriter::put(double value, std::string_view text) {
  if (head_.datatype == Datatype::kFp64) {
    return store(value);
  }
  if (head_.datatype != Datatype::kFp32) {
    return unfit(text);
  }
  const float rounded = float_of(value, text);
  return std::isfinite(rounded) ? store(rounded) : unfit(text);
}

Status ElementWriter::put(std::string_view value) {
  if (head_.datatype != Datatype::kBytes) {
    return unfit("a string");
  }
  if (value.size() > kMaxBytesElement) {
    return invalid_argument("{}: element {} has {} bytes; at most 2^32 - 1 are possible", head_.label, count_,
                            value.size());
  }
  FOREBAY_RETURN_IF_ERROR(check_room());
  const auto length = std::bit_cast<std::array<char, 4>>(static_cast<uint32_t>(value.size()));
  text_.append(length.data(), length.size());
  text_.append(value);
  ++count_;
  return ok_status();
}

Result<NamedTensor> ElementWriter::finish() && {
  NamedTensor tensor;
  tensor.datatype = head_.datatype;
  tensor.shape = std::move(head_.shape);
  tensor.buffer = head_.datatype == Datatype::kBytes ? buffer_of(std::move(text_)) : std::move(buffer_);
  tensor.size_bytes = tensor.buffer == nullptr ? 0 : tensor.buffer->size_bytes();
  return tensor;
}

}  // namespace forebay::serving
