// Errors that all stores share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

Status no_such_object(std::string_view uri);
Status version_changed(std::string_view uri, std::string_view expected, std::string_view found);

/// `unavailable`: the store asked for fewer requests, and for none during the next `retry_after_ns`.
Status throttled(std::string_view uri, int64_t retry_after_ns);

/// Whether this error says that a store could not be asked, or could not answer, and nothing of what there
/// is.
bool is_unanswered(const Status& status);

/// How long the store that returned this error asked to be left alone, if it said so.
std::optional<int64_t> retry_after_ns(const Status& status);

}  // namespace forebay::storage
