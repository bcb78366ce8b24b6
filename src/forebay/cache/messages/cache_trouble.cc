#include "forebay/cache/messages/cache_trouble.h"

#include <utility>

#include "absl/strings/cord.h"

namespace forebay::cache {
namespace {

constexpr char kType[] = "forebay.dev/cache-trouble";

}  // namespace

bool is_cache_trouble(const Status& status) {
  return status.GetPayload(kType).has_value();
}

Status cache_trouble(Status why) {
  why.SetPayload(kType, absl::Cord());
  return why;
}

Status daemon_gone(std::string_view why) {
  return cache_trouble(unavailable("{}", why));
}

}  // namespace forebay::cache
