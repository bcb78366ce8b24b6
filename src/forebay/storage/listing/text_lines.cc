#include "forebay/storage/listing/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/gunzip.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kPieceBytes = 4 << 20;

/// Cuts pieces of text into lines.
class LineCutter {
 public:
  explicit LineCutter(const TakeLine& take) : take_(take) {}

  Status add(std::string_view text) {
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      FOREBAY_RETURN_IF_ERROR(add_to_line(text.substr(0, end)));
      FOREBAY_RETURN_IF_ERROR(end_line());
      text.remove_prefix(end + 1);
    }
    return add_to_line(text);
  }

  Status finish() { return line_.empty() ? ok_status() : end_line(); }

  uint64_t number() const { return number_; }

 private:
  Status add_to_line(std::string_view text) {
    if (line_.size() + text.size() > kMaxLineBytes) {
      return invalid_argument("more than {} bytes", kMaxLineBytes);
    }
    line_ += text;
    return ok_status();
  }

  Status end_line() {
    std::string_view line = line_;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    FOREBAY_RETURN_IF_ERROR(line.empty() ? ok_status() : take_(line, number_));
    line_.clear();
    ++number_;
    return ok_status();
  }

  const TakeLine& take_;
  std::string line_;
  uint64_t number_ = 1;  // of the line that is being cut
};

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status cut_lines(const ObjectAddress& file, LineCutter& lines, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_now(*file.store, file.key, context));
  Gunzip gunzip;
  bool is_packed = false;
  for (uint64_t offset = 0; offset < stat.size_bytes; offset += kPieceBytes) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read,
                             read_now(*file.store,
                                      {.key = file.key,
                                       .offset_bytes = offset,
                                       .length_bytes = std::min(kPieceBytes, stat.size_bytes - offset),
                                       .if_version = stat.version},
                                      context));
    is_packed = offset == 0 ? begins_as_gzip(read.bytes) : is_packed;
    const auto add = [&lines](std::string_view text) { return lines.add(text); };
    FOREBAY_RETURN_IF_ERROR(is_packed ? gunzip.add(read.bytes, add) : add(text_of(read.bytes)));
  }
  FOREBAY_RETURN_IF_ERROR(is_packed ? gunzip.finish() : ok_status());
  return lines.finish();
}

}  // namespace

Status each_line(const ObjectAddress& file, const TakeLine& take, const CallContext& context) {
  LineCutter lines(take);
  const Status cut = cut_lines(file, lines, context);
  return annotate(cut, fmt::format("{}: line {}", file.uri(), lines.number()));
}

}  // namespace forebay::storage
