// Parses the text of a record format: a recursive-descent parser for PEP 3118's items.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/exchange/arrays/record_type.h"

namespace forebay::exchange {

/// An item as the enclosing record sees it: its size and the members inside.
struct RecordPart {
  int64_t bytes = 0;
  int64_t unpadded_bytes = 0;  // without the padding that '@' adds at the end of a record
  int64_t alignment = 1;
  std::vector<RecordMember> members;
};

/// Parses one text once; the text must outlive it.
class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}

  /// Parses the whole text as one record; invalid_argument, with the position, on a syntax error.
  Result<RecordPart> read();
  /// After read(): whether the text contains '<' or '>'.
  bool names_byte_order() const { return names_byte_order_; }

 private:
  Result<RecordPart> read_record(int depth);
  Status read_item(int depth, int index, RecordPart& record);
  Result<RecordPart> read_element(int depth, Extents& shape, std::optional<int64_t> count);
  Result<RecordPart> read_number();
  Status read_shape(Extents& shape);
  Result<int64_t> read_integer();
  Result<std::string> read_name();
  void read_order();
  void skip_blanks();
  Status place(RecordPart& record, RecordPart element, const Extents& shape, const std::string& name);

  bool is_at_end() const { return place_ == text_.size(); }
  char next() const { return is_at_end() ? '\0' : text_[place_]; }
  bool take(char wanted);
  bool is_digit() const { return next() >= '0' && next() <= '9'; }
  bool is_native_order() const;

  template <class... Args>
  Status broken(fmt::format_string<Args...> reason, Args&&... args) const {
    return invalid_argument("the record format '{}' at character {}: {}", shortened(), place_,
                            fmt::format(reason, std::forward<Args>(args)...));
  }
  std::string shortened() const;

  const std::string_view text_;
  size_t place_ = 0;
  char order_ = '@';
  bool names_byte_order_ = false;
};

}  // namespace forebay::exchange
