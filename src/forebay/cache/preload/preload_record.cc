#include "forebay/cache/preload/preload_record.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace forebay::cache {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDigits = "0123456789abcdef";

std::string hex_of(std::string_view text) {
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte / 16];
    hex += kDigits[byte % 16];
  }
  return hex;
}

/// Goes through the fields of a record in JSON; what is missing or of another kind makes it unsound.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  void take(const char* name, uint64_t* value) {
    const Json field = json_.value(name, Json());
    is_sound_ = is_sound_ && field.is_number_unsigned();
    *value = is_sound_ ? field.get<uint64_t>() : 0;
  }
  /// Names may hold any bytes, so they are written in hexadecimal.
  void take_hex(const char* name, std::string* text) {
    const Json field = json_.value(name, Json());
    is_sound_ = is_sound_ && field.is_string() && field.get_ref<const std::string&>().size() % 2 == 0;
    if (!is_sound_) {
      return;
    }
    const auto& hex = field.get_ref<const std::string&>();
    for (size_t i = 0; i < hex.size(); i += 2) {
      const size_t high = kDigits.find(hex[i]);
      const size_t low = kDigits.find(hex[i + 1]);
      is_sound_ = is_sound_ && high != std::string_view::npos && low != std::string_view::npos;
      text->push_back(static_cast<char>(high * 16 + low));
    }
  }
  void take_flag(const char* name, bool* flag) {
    const Json field = json_.value(name, Json());
    is_sound_ = is_sound_ && field.is_boolean();
    *flag = is_sound_ && field.get<bool>();
  }
  bool is_sound() const { return is_sound_; }

 private:
  const Json& json_;
  bool is_sound_ = true;
};

}  // namespace

std::string format_record(const PreloadRecord& record) {
  const PreloadCounts& counts = record.counts;
  const Json json = {{"uri_hex", hex_of(record.uri)},
                     {"order_hex", hex_of(record.order)},
                     {"mark_hex", hex_of(record.mark)},
                     {"is_done", record.state == PreloadState::kDone},
                     {"objects", counts.objects},
                     {"bytes", counts.bytes},
                     {"came_objects", counts.came_objects},
                     {"came_bytes", counts.came_bytes},
                     {"failed", counts.failed},
                     {"first_error_hex", hex_of(record.first_error)}};
  return json.dump(1) + "\n";
}

Result<PreloadRecord> parse_record(std::string_view text, const std::string& file) {
  const Json json =
      text.size() > kMaxPreloadRecordBytes ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Status broken = data_loss("{}: not the record of a preload; remove it to begin anew", file);
  if (!json.is_object()) {
    return broken;
  }
  PreloadRecord record;
  bool is_done = false;
  Fields fields(json);
  fields.take_hex("uri_hex", &record.uri);
  fields.take_hex("order_hex", &record.order);
  fields.take_hex("mark_hex", &record.mark);
  fields.take_flag("is_done", &is_done);
  fields.take("objects", &record.counts.objects);
  fields.take("bytes", &record.counts.bytes);
  fields.take("came_objects", &record.counts.came_objects);
  fields.take("came_bytes", &record.counts.came_bytes);
  fields.take("failed", &record.counts.failed);
  fields.take_hex("first_error_hex", &record.first_error);
  record.state = is_done ? PreloadState::kDone : PreloadState::kUnfinished;
  return fields.is_sound() ? Result<PreloadRecord>(std::move(record)) : broken;
}

}  // namespace forebay::cache
