// How urgent a call is, as the HTTP client has it.
#pragma once

#include "forebay/net/http_message.h"
#include "forebay/storage/context.h"

namespace forebay::storage {

constexpr net::Urgency urgency_of(Priority priority) {
  switch (priority) {
    case Priority::kDemand:
      return net::Urgency::kDemand;
    case Priority::kPrefetch:
      return net::Urgency::kPrefetch;
    case Priority::kBulk:
      break;
  }
  return net::Urgency::kBulk;
}

}  // namespace forebay::storage
