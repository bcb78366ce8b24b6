#include "forebay/cli/mounting/mount_parts.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "forebay/cli/command/this_program.h"

namespace forebay::cli {
namespace {

constexpr std::string_view kCommand = "fuse";
constexpr std::array<std::string_view, 4> kOfParts = {"--part=", "--at=", "--shows=", "--mounted-as="};

const std::map<std::string, MountPart>& part_names() {
  static const std::map<std::string, MountPart> names = {{"first", MountPart::kFirst},
                                                         {"supervisor", MountPart::kSupervisor},
                                                         {"server", MountPart::kServer},
                                                         {"careful-server", MountPart::kCarefulServer}};
  return names;
}

std::string name_of(MountPart part) {
  const auto found =
      std::ranges::find_if(part_names(), [part](const auto& each) { return each.second == part; });
  return found == part_names().end() ? std::string() : found->first;
}

bool is_of_parts(const std::string& word) {
  return std::ranges::any_of(kOfParts, [&](std::string_view each) { return word.starts_with(each); });
}

}  // namespace

void add_part_options(CLI::App& command, MountSettings& settings) {
  command.add_option("--part", settings.part)->transform(CLI::Transformer(part_names()))->group("");
  command.add_option("--at", settings.mount_point)->group("");
  command.add_option("--shows", settings.shown)->group("");
  command.add_option("--mounted-as", settings.mounted_as)->group("");
}

std::vector<std::string> words_as(const MountSettings& settings, MountPart part) {
  return words_as(settings, part, words_of_process());
}

std::vector<std::string> words_as(const MountSettings& settings, MountPart part,
                                  const std::vector<std::string>& words) {
  std::vector<std::string> changed = {words.empty() ? "forebay" : words[0], std::string(kCommand),
                                      "--part=" + name_of(part), "--at=" + settings.mount_point};
  if (!settings.shown.empty()) {
    changed.push_back("--shows=" + settings.shown);
  }
  if (part == MountPart::kSupervisor) {
    changed.push_back("--mounted-as=" + settings.mounted_as);
  }
  auto rest = std::find(words.begin(), words.end(), kCommand);
  rest += rest == words.end() ? 0 : 1;
  rest = std::find_if_not(rest, words.end(), is_of_parts);
  changed.insert(changed.end(), rest, words.end());
  return changed;
}

std::string mounted_text(const fuse::MountLine& line) {
  return fmt::format("{},{},{}", line.id, line.device, line.unique);
}

Result<fuse::MountLine> mounted_line(const MountSettings& settings) {
  const std::vector<std::string> parts = absl::StrSplit(settings.mounted_as, ',');
  fuse::MountLine line = {
      .path = settings.mount_point, .type = std::string(fuse::kFileSystemType), .source = settings.source};
  if (parts.size() != 3 || parts[1].empty() || !absl::SimpleAtoi(parts[0], &line.id) ||
      !absl::SimpleAtoi(parts[2], &line.unique)) {
    return invalid_argument("--mounted-as={}: Forebay itself gives it", settings.mounted_as);
  }
  line.device = parts[1];
  return line;
}

}  // namespace forebay::cli
