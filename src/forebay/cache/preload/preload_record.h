// What is known of a preload: what it brings, how far it is, what it has done. Kept on disk, so that a later
// call goes on where an earlier one ended, however that ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::cache {

/// Counts of what is finished.
struct PreloadCounts {
  uint64_t objects = 0;  // brought, or there already
  uint64_t bytes = 0;
  uint64_t came_objects = 0;  // of them, those that had to be fetched
  uint64_t came_bytes = 0;
  uint64_t failed = 0;

  friend bool operator==(const PreloadCounts&, const PreloadCounts&) = default;
};

enum class PreloadState : uint8_t {
  kUnfinished,  // under way if somebody holds its file, else stopped or killed
  kDone,
};

struct PreloadRecord {
  std::string uri;    // of what is brought
  std::string order;  // empty: by name; else what names the order
  /// All before it is finished; empty: nothing yet. Its meaning is that of the order.
  std::string mark;
  PreloadState state = PreloadState::kUnfinished;
  PreloadCounts counts;
  std::string first_error;  // of an object; empty: none

  friend bool operator==(const PreloadRecord&, const PreloadRecord&) = default;
};

inline constexpr size_t kMaxPreloadRecordBytes = size_t{256} << 10;

/// One object of JSON; texts, which may hold any bytes, in hexadecimal.
std::string format_record(const PreloadRecord& record);
/// data_loss, naming `file`, for what is none.
Result<PreloadRecord> parse_record(std::string_view text, const std::string& file);

}  // namespace forebay::cache
