#include "forebay/cache/entries/object_name.h"

#include <utility>

namespace forebay::cache {

bool may_hide_a_part(std::string_view uri, std::string_view key) {
  const bool is_web = uri.starts_with("https://") || uri.starts_with("http://");
  return is_web && key.find_first_of("?@#") != std::string_view::npos;
}

ObjectVersion object_of(const storage::ObjectStore& store, std::string_view key, std::string version) {
  std::string uri = store.uri_of(key);
  std::string left_out = store.service();
  if (may_hide_a_part(uri, key)) {
    left_out.append(1, '\0').append(key);
  }
  std::string apart;
  if (!left_out.empty()) {
    // Not object_id()'s key.
    const ObjectId hash = siphash128(0x5bd1c4b0a6e93f27u, 0xe10b7d92c85f4a36u, left_out);
    apart = fmt::format("{:016x}{:016x}", hash.high, hash.low);
  }
  return {std::move(uri), std::move(version), apart};
}

}  // namespace forebay::cache
