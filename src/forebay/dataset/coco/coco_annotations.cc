#include "forebay/dataset/coco/coco_annotations.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "forebay/dataset/coco/coco_handler.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kChunkBytes = 256 << 10;

/// The file's bytes one after the other, read a chunk at a time.
class CharacterStream {
 public:
  explicit CharacterStream(const ByteSource& source) : reader_(source) { next_chunk(); }

  bool is_at_end() const { return at_ == chunk_.size(); }
  char current() const { return static_cast<char>(chunk_[at_]); }
  void advance() {
    if (++at_ == chunk_.size()) {
      next_chunk();
    }
  }
  uint64_t offset_bytes() const { return begin_ + at_; }
  const Status& status() const { return status_; }

 private:
  void next_chunk() {
    begin_ += chunk_.size();
    at_ = 0;
    chunk_ = {};
    const uint64_t left = reader_.size_bytes() - begin_;
    if (left == 0) {
      return;
    }
    const Result<Bytes> read = reader_.at(begin_, std::min(left, kChunkBytes));
    if (read.ok()) {
      chunk_ = *read;
    } else {
      status_ = read.status();
    }
  }

  WindowReader reader_;
  Bytes chunk_;
  uint64_t begin_ = 0;
  size_t at_ = 0;
  Status status_;
};

/// What the parser takes: a place in the stream, or its end.
class CharacterIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  CharacterIterator() = default;
  explicit CharacterIterator(CharacterStream& stream) : stream_(&stream) {}

  char operator*() const { return stream_->current(); }
  CharacterIterator& operator++() {
    stream_->advance();
    return *this;
  }
  CharacterIterator operator++(int) {
    const CharacterIterator before = *this;
    stream_->advance();
    return before;
  }
  friend bool operator==(const CharacterIterator& a, const CharacterIterator& b) {
    return a.is_at_end() == b.is_at_end();
  }

 private:
  bool is_at_end() const { return stream_ == nullptr || stream_->is_at_end(); }

  CharacterStream* stream_ = nullptr;
};

}  // namespace

Result<CocoAnnotations> parse_coco(const ByteSource& file, const std::string& name, const CocoWants& wants) {
  CocoAnnotations annotations;
  CocoHandler handler(wants, &annotations);
  CharacterStream stream(file);
  const bool is_whole = nlohmann::json::sax_parse(CharacterIterator(stream), CharacterIterator(), &handler);
  FOREBAY_RETURN_IF_ERROR(annotate(stream.status(), name));
  if (!is_whole) {
    return data_loss("{}: {}, at byte {}", name, message(handler.status()), stream.offset_bytes());
  }
  return annotations;
}

}  // namespace forebay::dataset
