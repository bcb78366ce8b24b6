#include "forebay/dataset/nemo/nemo_manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace forebay::dataset {
namespace {

// More than a century is no length of a sound, and still far from where frames overflow.
constexpr double kMaxSeconds = 4e9;
constexpr double kNoSeconds = -2;

/// As JSON, and in ASCII; a long one's beginning.
std::string shown_value(const nlohmann::json& value) {
  constexpr size_t kMaxShown = 80;
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

class NemoLine {
 public:
  NemoLine(const std::string& manifest, int64_t number) : manifest_(manifest), number_(number) {}

  Status broken(std::string_view why) const { return data_loss("{}: line {}: {}", manifest_, number_, why); }

  Result<nlohmann::json> object_of(std::string_view line) const {
    nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    return object.is_object()
               ? Result<nlohmann::json>(std::move(object))
               : broken("no JSON object; each line of a manifest is one, with `audio_filepath`");
  }

  /// Nothing, and null, are empty.
  Result<std::string> text_of(const nlohmann::json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      return std::string();
    }
    return found->is_string()
               ? Result<std::string>(found->get<std::string>())
               : broken(fmt::format("`{}` is {}, a string is needed", key, shown_value(*found)));
  }

  Result<std::string> path_of(const nlohmann::json& object) const {
    constexpr const char* kKey = "audio_filepath";
    if (!object.contains(kKey)) {
      return broken("no `audio_filepath`; it names the sound's file");
    }
    FOREBAY_ASSIGN_OR_RETURN(std::string path, text_of(object, kKey));
    if (path.empty()) {
      return broken("`audio_filepath` is empty; it names the sound's file");
    }
    if (path.find('\0') != std::string::npos) {
      return broken(fmt::format("`{}` is {}: a path has no NUL byte", kKey, shown_value(object[kKey])));
    }
    return path;
  }

  Result<double> seconds_of(const nlohmann::json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      return kUnknownSeconds;
    }
    const double seconds = found->is_number() ? found->get<double>() : kNoSeconds;
    const bool is_possible = seconds == kUnknownSeconds || (seconds >= 0 && seconds <= kMaxSeconds);
    return is_possible ? Result<double>(seconds)
                       : broken(fmt::format("`{}` is {}, a number of seconds is needed, from 0 on, or -1 if "
                                            "it is not known",
                                            key, shown_value(*found)));
  }

 private:
  const std::string& manifest_;
  const int64_t number_;
};

bool is_within(const NemoBounds& bounds, double duration_s) {
  return (bounds.min_duration_s <= 0 || duration_s >= bounds.min_duration_s) &&
         (bounds.max_duration_s <= 0 || duration_s <= bounds.max_duration_s);
}

Status add_nemo_line(const NemoLine& line, std::string_view text, const NemoBounds& bounds,
                     NemoEntries* entries) {
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json object, line.object_of(text));
  NemoEntry entry;
  FOREBAY_ASSIGN_OR_RETURN(entry.path, line.path_of(object));
  FOREBAY_ASSIGN_OR_RETURN(entry.offset_s, line.seconds_of(object, "offset"));
  FOREBAY_ASSIGN_OR_RETURN(entry.duration_s, line.seconds_of(object, "duration"));
  FOREBAY_ASSIGN_OR_RETURN(const std::string transcript, line.text_of(object, "text"));
  if (is_within(bounds, entry.duration_s)) {
    entries->texts += transcript;
    entry.text_end = entries->texts.size();
    entries->entries.push_back(std::move(entry));
  }
  return ok_status();
}

}  // namespace

Status parse_nemo_manifest(std::string_view manifest, const std::string& name, const NemoBounds& bounds,
                           NemoEntries* entries) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8, which some editors write
  manifest.remove_prefix(manifest.starts_with(kMark) ? kMark.size() : 0);
  int64_t number = 0;
  const size_t before = entries->entries.size();
  while (!manifest.empty()) {
    ++number;
    const size_t end = std::min(manifest.find('\n'), manifest.size());
    const std::string_view line = manifest.substr(0, end);
    manifest.remove_prefix(std::min(end + 1, manifest.size()));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      FOREBAY_RETURN_IF_ERROR(add_nemo_line(NemoLine(name, number), line, bounds, entries));
    }
  }
  for (size_t i = before; i < entries->entries.size(); ++i) {
    entries->entries[i].number = static_cast<int64_t>(i - before);
  }
  return ok_status();
}

}  // namespace forebay::dataset
