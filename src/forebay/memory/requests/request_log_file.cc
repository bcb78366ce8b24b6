// Request log files and their text form.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "forebay/memory/requests/request_log.h"
#include "forebay/memory/requests/request_log_format.h"

namespace forebay::memory {
namespace {

constexpr std::string_view kColumns = "Thread,Time,Action,Pointer,Size,Stream";
constexpr std::array<std::string_view, 3> kActions = {"allocate", "allocate failure", "free"};
constexpr size_t kColumnCount = 6;
constexpr size_t kLongestLine = 256;
constexpr int64_t kSecondNs = 1000000000;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Status broken(const std::string& path, size_t line, std::string_view what) {
  return data_loss("{}, line {}: {}", path, line, what);
}

/// Parses a whole number, decimal or with 0x; "(nil)" is 0.
bool parse_number(std::string_view text, uint64_t& value) {
  if (text == "(nil)") {
    value = 0;
    return true;
  }
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, is_hex ? 16 : 10);
  return error == std::errc() && end == digits.end() && !digits.empty();
}

/// Parses "15:47:02.841961", "15:47:02:841961", or seconds since 1970 with a fraction; 0 for anything else,
/// since the time is only informative.
int64_t parse_time_ns(std::string_view text) {
  uint64_t parts[3] = {0, 0, 0};
  size_t begin = 0;
  int found = 0;
  for (; found < 3; ++found) {
    const size_t end = std::min(text.find_first_of(":.", begin), text.size());
    if (!parse_number(text.substr(begin, end - begin), parts[found])) {
      return 0;
    }
    begin = end + 1;
    if (end >= text.size()) {
      return 0;
    }
    if (text[end] == '.' && found == 0) {
      break;
    }
  }
  uint64_t fraction = 0;
  const std::string_view digits = text.substr(begin, 6);
  if (!parse_number(digits, fraction)) {
    return 0;
  }
  for (size_t i = digits.size(); i < 9; ++i) {
    fraction *= 10;
  }
  const uint64_t seconds = found == 0 ? parts[0] : parts[0] * 3600 + parts[1] * 60 + parts[2];
  return static_cast<int64_t>(seconds % (uint64_t{1} << 33)) * kSecondNs + static_cast<int64_t>(fraction);
}

bool parse_line(std::string_view line, Request& request) {
  std::array<std::string_view, kColumnCount> cells;
  for (size_t i = 0; i < kColumnCount; ++i) {
    const size_t end = line.find(',');
    const bool is_last = i + 1 == kColumnCount;
    if ((end == std::string_view::npos) != is_last) {
      return false;
    }
    cells[i] = line.substr(0, end);
    line.remove_prefix(is_last ? line.size() : end + 1);
  }
  const auto action = std::find(kActions.begin(), kActions.end(), cells[2]);
  const bool is_free = cells[2] == "deallocate";  // an alternative spelling
  uint64_t thread = 0;
  uint64_t stream = 0;
  if ((action == kActions.end() && !is_free) || !parse_number(cells[0], thread) ||
      !parse_number(cells[3], request.pointer) || !parse_number(cells[4], request.bytes) ||
      !parse_number(cells[5], stream)) {
    return false;
  }
  request.time_ns = parse_time_ns(cells[1]);
  request.thread = static_cast<uint32_t>(thread ^ thread >> 32);
  request.queue = {static_cast<uint32_t>(stream >> 32), static_cast<uint32_t>(stream)};
  request.action = is_free ? RequestAction::kFree : static_cast<RequestAction>(action - kActions.begin());
  return true;
}

Result<std::vector<Request>> read_text(const std::string& path, std::FILE* file, size_t most_records) {
  std::vector<Request> requests;
  std::array<char, kLongestLine> buffer;
  for (size_t number = 1; std::fgets(buffer.data(), static_cast<int>(buffer.size()), file) != nullptr;
       ++number) {
    std::string_view line(buffer.data());
    if (!line.ends_with('\n') && std::feof(file) == 0) {
      return broken(path, number, "too long");
    }
    line = line.substr(0, line.find_last_not_of("\r\n") + 1);
    if (number == 1) {
      if (line != kColumns) {
        return broken(path, number, "neither a log of requests nor the columns of one as text");
      }
      continue;
    }
    if (requests.size() == most_records) {
      return resource_exhausted("{} has more than {} requests", path, most_records);
    }
    if (!line.empty() && !parse_line(line, requests.emplace_back())) {
      return broken(path, number, "not a request");
    }
  }
  if (std::ferror(file) != 0) {
    return errno_status(errno, path);
  }
  return requests;
}

Result<std::vector<Request>> read_records(const std::string& path, std::FILE* file, size_t most_records) {
  std::vector<Request> requests;
  std::array<Request, 512> chunk;
  while (const size_t count = std::fread(chunk.data(), sizeof(Request), chunk.size(), file)) {
    if (requests.size() + count > most_records) {
      return resource_exhausted("{} has more than {} requests", path, most_records);
    }
    for (size_t i = 0; i < count; ++i) {
      if (chunk[i].action > RequestAction::kFree) {
        return data_loss("{}: record {} is invalid", path, requests.size());
      }
      requests.push_back(chunk[i]);
    }
  }
  if (std::ferror(file) != 0) {
    return errno_status(errno, path);
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.time_ns < b.time_ns; });
  return requests;
}

}  // namespace

Result<std::vector<Request>> read_log(const std::string& path, size_t most_records) {
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    return errno_status(errno, path);
  }
  LogHeader header{};
  const bool is_whole = std::fread(&header, sizeof header, 1, file.get()) == 1;
  if (!is_whole || header.magic != kLogHeader.magic) {
    std::rewind(file.get());
    return read_text(path, file.get(), most_records);
  }
  if (header.version != kLogHeader.version || header.record_bytes != kLogHeader.record_bytes) {
    return data_loss("{} is a log of version {} with records of {} bytes; this reads version {} with {}",
                     path, header.version, header.record_bytes, kLogHeader.version, kLogHeader.record_bytes);
  }
  return read_records(path, file.get(), most_records);
}

std::string to_csv(const std::vector<Request>& requests) {
  std::string text(kColumns);
  text += '\n';
  for (const Request& request : requests) {
    const int64_t second = request.time_ns / kSecondNs % 86400;
    const uint64_t stream = uint64_t{request.queue.driver} << 32 | request.queue.queue;
    fmt::format_to(std::back_inserter(text), "{},{:02}:{:02}:{:02}.{:06},{},{:#x},{},{:#x}\n", request.thread,
                   second / 3600, second / 60 % 60, second % 60, request.time_ns % kSecondNs / 1000,
                   kActions[static_cast<size_t>(request.action)], request.pointer, request.bytes, stream);
  }
  return text;
}

}  // namespace forebay::memory
