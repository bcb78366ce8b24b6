#include "forebay/fuse/mounts/mount_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace forebay::fuse {
namespace {

constexpr const char* kTable = "/proc/self/mountinfo";

bool is_octal(std::string_view text) {
  return text.find_first_not_of("01234567") == std::string_view::npos;
}

/// Space, tab, line break and backslash stand as \040 and so on.
std::string without_escapes(std::string_view text) {
  constexpr size_t kDigits = 3;
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view digits = text.substr(at + 1, kDigits);
    if (text[at] != '\\' || digits.size() < kDigits || !is_octal(digits)) {
      plain += text[at];
      continue;
    }
    plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
    at += kDigits;
  }
  return plain;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = line.find(' ');
    words.push_back(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  }
  return words;
}

/// "36 35 98:0 /root /mount/point options optional fields... - type source options".
std::optional<MountLine> line_of(std::string_view text) {
  constexpr size_t kFixed = 6;
  const std::vector<std::string_view> words = words_of(text);
  size_t dash = kFixed;
  while (dash < words.size() && words[dash] != "-") {
    ++dash;
  }
  if (dash + 2 >= words.size()) {
    return std::nullopt;
  }
  MountLine line = {.device = std::string(words[2]),
                    .path = without_escapes(words[4]),
                    .type = without_escapes(words[dash + 1]),
                    .source = without_escapes(words[dash + 2])};
  const auto [end, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), line.id);
  return error == std::errc() ? std::optional<MountLine>(std::move(line)) : std::nullopt;
}

}  // namespace

std::vector<MountLine> parse_mount_lines(std::string_view text) {
  std::vector<MountLine> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (std::optional<MountLine> line = line_of(text.substr(0, end))) {
      lines.push_back(*std::move(line));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

Result<std::vector<MountLine>> read_mount_lines() {
  std::ifstream file(kTable);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    return unavailable("{}: the kernel's table of mounts cannot be read", kTable);
  }
  return parse_mount_lines(text.str());
}

// By what the kernel knows already: a mount whose process has gone answers nothing.
uint64_t unique_mount_at(const std::string& path) {
  constexpr unsigned kUniqueId = 0x4000;  // STATX_MNT_ID_UNIQUE
  struct statx status {};
  const int flags = AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC;
  const bool is_told =
      ::statx(AT_FDCWD, path.c_str(), flags, kUniqueId, &status) == 0 && (status.stx_mask & kUniqueId) != 0;
  return is_told ? status.stx_mnt_id : 0;
}

bool has_mount_gone(uint64_t unique) {
  constexpr long kStatMount = 457;
  constexpr uint64_t kBasics = 2;  // STATMOUNT_MNT_BASIC
  struct {
    uint32_t bytes;
    uint32_t spare;
    uint64_t mount;
    uint64_t wanted;
  } const asked = {.bytes = sizeof(asked), .spare = 0, .mount = unique, .wanted = kBasics};
  std::array<std::byte, 4096> answer{};
  return unique != 0 && ::syscall(kStatMount, &asked, answer.data(), answer.size(), 0) != 0 &&
         errno == ENOENT;
}

std::optional<MountLine> find_same_mount(const std::vector<MountLine>& lines, const MountLine& mount) {
  if (has_mount_gone(mount.unique)) {
    return std::nullopt;
  }
  for (const MountLine& line : lines) {
    if (line.id == mount.id && line.device == mount.device && line.type == kFileSystemType) {
      return line;
    }
  }
  return std::nullopt;
}

std::optional<MountLine> find_own_mount(const std::vector<MountLine>& lines, std::string_view path) {
  std::optional<MountLine> last;
  for (const MountLine& line : lines) {
    if (line.path == path) {
      last = line;
    }
  }
  return last && last->type == kFileSystemType ? last : std::nullopt;
}

Result<std::optional<MountLine>> own_mount_at(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<MountLine> lines, read_mount_lines());
  const Result<std::string> path = mount_path(name);
  if (!path.ok()) {
    return std::optional<MountLine>();  // nothing is mounted in a folder that there is not
  }
  if (std::optional<MountLine> line = find_own_mount(lines, *path)) {
    return line;  // nothing is asked of a mount that may not answer
  }
  std::error_code error;
  const bool is_link = std::filesystem::is_symlink(std::filesystem::symlink_status(*path, error));
  const std::filesystem::path target = is_link ? std::filesystem::canonical(*path, error) : "";
  return is_link && !error ? find_own_mount(lines, target.string()) : std::nullopt;
}

Result<std::string> mount_path(const std::string& name) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(name, error);
  if (error || name.empty()) {
    return error ? errno_status(error.value(), name) : invalid_argument("a mount point needs a name");
  }
  while (whole.has_relative_path() && (!whole.has_filename() || whole.filename() == ".")) {
    whole = whole.parent_path();  // it ended with a slash
  }
  const bool is_above = whole.filename() == "..";  // of where a link leads, which its name does not tell
  const std::filesystem::path folder =
      std::filesystem::canonical(is_above ? whole : whole.parent_path(), error);
  if (error) {
    return errno_status(error.value(), name);
  }
  return (is_above ? folder : folder / whole.filename()).string();
}

}  // namespace forebay::fuse
