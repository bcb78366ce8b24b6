#include "forebay/exchange/arrays/record_reader.h"

#include <algorithm>
#include <array>
#include <bit>

#include "forebay/base/round_up.h"

namespace forebay::exchange {
namespace {

/// A code of the `struct` module: its type, its native size and its standard size.
struct Code {
  char letter;
  uint8_t kind;
  uint8_t native_bytes;
  uint8_t standard_bytes;  // 0: it has none
};

constexpr std::array<Code, 17> kCodes = {{
    {'?', dlpack::kBool, 1, 1},
    {'c', dlpack::kUInt, 1, 1},
    {'b', dlpack::kInt, 1, 1},
    {'B', dlpack::kUInt, 1, 1},
    {'h', dlpack::kInt, 2, 2},
    {'H', dlpack::kUInt, 2, 2},
    {'i', dlpack::kInt, 4, 4},
    {'I', dlpack::kUInt, 4, 4},
    {'l', dlpack::kInt, sizeof(long), 4},
    {'L', dlpack::kUInt, sizeof(long), 4},
    {'q', dlpack::kInt, 8, 8},
    {'Q', dlpack::kUInt, 8, 8},
    {'n', dlpack::kInt, sizeof(size_t), 0},
    {'N', dlpack::kUInt, sizeof(size_t), 0},
    {'e', dlpack::kFloat, 2, 2},
    {'f', dlpack::kFloat, 4, 4},
    {'d', dlpack::kFloat, 8, 8},
}};

const Code* find_code(char letter) {
  const auto* const found = std::find_if(kCodes.begin(), kCodes.end(),
                                         [letter](const Code& code) { return code.letter == letter; });
  return found == kCodes.end() ? nullptr : found;
}

// The bytes of a character of text, or 0.
int64_t character_bytes(char letter) {
  switch (letter) {
    case 's':
    case 'x':
      return 1;
    case 'u':
      return 2;
    case 'w':
      return 4;
    default:
      return 0;
  }
}

const char* reason_to_refuse(char letter) {
  switch (letter) {
    case 'O':
      return "Python objects are not taken";
    case '&':
    case 'P':
    case 'X':
      return "pointers are not taken";
    case 't':
      return "bit fields are not taken";
    case 'g':
      return "numbers of more than 8 bytes are not taken";
    case 'p':
      return "text with its length in front is not taken";
    case '\0':
      return "it ends within a record";
    default:
      return "there is no such type";
  }
}

RecordPart part_of(dlpack::DataType type, int64_t bytes, int64_t alignment) {
  RecordPart part;
  part.bytes = bytes;
  part.alignment = alignment;
  part.members.push_back({.type = type});
  return part;
}

// The product of the extents, or nullopt if it exceeds the limit.
std::optional<int64_t> product_of(const Extents& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(product, extent, &product)) {
      return std::nullopt;
    }
  }
  return product;
}

}  // namespace

Result<RecordPart> RecordReader::read() {
  if (text_.size() > kMaxFormatBytes) {
    return invalid_argument("a record format of {} characters; it has at most {}", text_.size(),
                            kMaxFormatBytes);
  }
  read_order();
  if (!take('T') || !take('{')) {
    return broken("a record begins with 'T{{'");
  }
  FOREBAY_ASSIGN_OR_RETURN(RecordPart record, read_record(1));
  skip_blanks();
  if (!is_at_end()) {
    return broken("something follows the record");
  }
  return record;
}

Result<RecordPart> RecordReader::read_record(int depth) {
  if (depth > kMaxRecordDepth) {
    return broken("records within records are at most {} deep", kMaxRecordDepth);
  }
  RecordPart record;
  for (int index = 0;; ++index) {
    skip_blanks();
    if (take('}')) {
      break;
    }
    FOREBAY_RETURN_IF_ERROR(read_item(depth, index, record));
  }
  record.unpadded_bytes = record.bytes;
  if (order_ == '@') {
    record.bytes = round_up(record.bytes, record.alignment);
  }
  return record;
}

Status RecordReader::read_item(int depth, int index, RecordPart& record) {
  read_order();
  Extents shape;
  FOREBAY_RETURN_IF_ERROR(read_shape(shape));
  read_order();  // ctypes puts it here
  std::optional<int64_t> count;
  if (is_digit()) {
    FOREBAY_ASSIGN_OR_RETURN(count, read_integer());
  }
  const bool is_padding = next() == 'x';
  FOREBAY_ASSIGN_OR_RETURN(RecordPart element, read_element(depth, shape, count));
  FOREBAY_ASSIGN_OR_RETURN(std::string name, read_name());
  if (is_padding && name.empty()) {
    element.members.clear();
  }
  return place(record, std::move(element), shape, name.empty() ? fmt::format("f{}", index) : name);
}

Result<RecordPart> RecordReader::read_element(int depth, Extents& shape, std::optional<int64_t> count) {
  const int64_t width = character_bytes(next());
  if (width == 0 && count) {
    shape.push_back(*count);
  }
  if (width != 0) {
    const bool is_foreign = width > 1 && !is_native_order();
    if (is_foreign) {
      return broken("its byte order is not this machine's");
    }
    ++place_;
    shape.push_back(count.value_or(1));
    return part_of({dlpack::kUInt, static_cast<uint8_t>(width * 8), 1}, width, width);
  }
  if (take('T')) {
    if (!take('{')) {
      return broken("a record begins with 'T{{'");
    }
    return read_record(depth + 1);
  }
  return read_number();
}

Result<RecordPart> RecordReader::read_number() {
  const bool is_complex = take('Z');
  const Code* const code = find_code(next());
  if (code == nullptr || (is_complex && code->kind != dlpack::kFloat)) {
    return broken("{}", reason_to_refuse(next()));
  }
  const bool is_native_size = order_ == '@' || order_ == '^';
  const int64_t bytes = is_native_size ? code->native_bytes : code->standard_bytes;
  if (bytes == 0) {
    return broken("'{}' has no size outside native formats", code->letter);
  }
  if (bytes > 1 && !is_native_order()) {
    return broken("its byte order is not this machine's");
  }
  ++place_;
  const int64_t whole = is_complex ? 2 * bytes : bytes;
  const uint8_t kind = is_complex ? dlpack::kComplex : code->kind;
  return part_of({kind, static_cast<uint8_t>(whole * 8), 1}, whole, bytes);
}

Status RecordReader::read_shape(Extents& shape) {
  if (!take('(')) {
    return ok_status();
  }
  do {
    skip_blanks();
    if (static_cast<int>(shape.size()) == kMaxMemberRank) {
      return broken("a member has at most {} dimensions", kMaxMemberRank);
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t extent, read_integer());
    shape.push_back(extent);
    skip_blanks();
  } while (take(','));
  return take(')') ? ok_status() : broken("a shape ends with ')'");
}

Result<int64_t> RecordReader::read_integer() {
  if (!is_digit()) {
    return broken("a number is missing");
  }
  int64_t number = 0;
  for (; is_digit(); ++place_) {
    number = number * 10 + (next() - '0');
    if (number > tensor::kMaxRecordBytes) {
      return broken("a number is above {}", tensor::kMaxRecordBytes);
    }
  }
  return number;
}

Result<std::string> RecordReader::read_name() {
  if (!take(':')) {
    return std::string();
  }
  const size_t end = text_.find(':', place_);
  if (end == std::string_view::npos) {
    return broken("a name ends with ':'");
  }
  if (end == place_) {
    return broken("a name is empty");
  }
  std::string name(text_.substr(place_, end - place_));
  place_ = end + 1;
  return name;
}

// Applies to all that follows, including the enclosing records.
void RecordReader::read_order() {
  skip_blanks();
  while (!is_at_end() && std::string_view("@=<>!^").find(next()) != std::string_view::npos) {
    order_ = next() == '!' ? '>' : next();
    names_byte_order_ = names_byte_order_ || order_ == '<' || order_ == '>';
    ++place_;
    skip_blanks();
  }
}

void RecordReader::skip_blanks() {
  while (next() == ' ' || next() == '\t' || next() == '\n') {
    ++place_;
  }
}

Status RecordReader::place(RecordPart& record, RecordPart element, const Extents& shape,
                           const std::string& name) {
  const std::optional<int64_t> count = product_of(shape);
  const int64_t start = order_ == '@' ? round_up(record.bytes, element.alignment) : record.bytes;
  const int64_t left = tensor::kMaxRecordBytes - start;
  if (!count || (element.bytes != 0 && *count > left / element.bytes)) {
    return broken("a record has at most {} bytes", tensor::kMaxRecordBytes);
  }
  if (record.members.size() + element.members.size() > static_cast<size_t>(tensor::kMaxRecordFields)) {
    return broken("a record has at most {} members", tensor::kMaxRecordFields);
  }
  const Extents strides = dense_strides(shape, element.bytes);
  for (RecordMember& member : element.members) {
    if (static_cast<int>(shape.size() + member.shape.size()) > kMaxMemberRank) {
      return broken("a member has at most {} dimensions", kMaxMemberRank);
    }
    member.name = member.name.empty() ? name : name + "." + member.name;
    member.offset_bytes += start;
    member.shape.insert(member.shape.begin(), shape.begin(), shape.end());
    member.strides_bytes.insert(member.strides_bytes.begin(), strides.begin(), strides.end());
    record.members.push_back(std::move(member));
  }
  record.bytes = start + *count * element.bytes;
  record.alignment = std::max(record.alignment, element.alignment);
  return ok_status();
}

bool RecordReader::take(char wanted) {
  if (next() != wanted || is_at_end()) {
    return false;
  }
  ++place_;
  return true;
}

bool RecordReader::is_native_order() const {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  return order_ != kForeign;
}

std::string RecordReader::shortened() const {
  constexpr size_t kShown = 60;
  return text_.size() <= kShown ? std::string(text_) : std::string(text_.substr(0, kShown)) + "...";
}

}  // namespace forebay::exchange
