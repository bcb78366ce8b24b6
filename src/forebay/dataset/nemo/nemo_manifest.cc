#include "forebay/dataset/nemo/nemo_manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace forebay::dataset {
namespace {

// More than a century is no length of a sound, and still far from where frames overflow.
constexpr double kMostSeconds = 4e9;

class NemoLine {
 public:
  NemoLine(const std::string& manifest, int64_t number) : manifest_(manifest), number_(number) {}

  Status broken(std::string_view why) const {
    return data_loss("{}: line {}: {}; each line is a JSON object with `audio_filepath`", manifest_, number_,
                     why);
  }

  Result<nlohmann::json> object_of(std::string_view line) const {
    nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    return object.is_object() ? Result<nlohmann::json>(std::move(object)) : broken("no JSON object");
  }

  Result<std::string> text_of(const nlohmann::json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      return std::string();
    }
    return found->is_string() ? Result<std::string>(found->get<std::string>())
                              : broken(fmt::format("`{}` is no string", key));
  }

  Result<double> seconds_of(const nlohmann::json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      return kUnknownSeconds;
    }
    const double seconds = found->is_number() ? found->get<double>() : kUnknownSeconds;
    return seconds >= 0 && seconds <= kMostSeconds ? Result<double>(seconds)
                                                   : broken(fmt::format("`{}` is no number of seconds", key));
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
  FOREBAY_ASSIGN_OR_RETURN(entry.path, line.text_of(object, "audio_filepath"));
  if (entry.path.empty()) {
    return line.broken("no `audio_filepath`");
  }
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
