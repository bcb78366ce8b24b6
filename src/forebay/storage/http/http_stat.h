// Size, time and version of an object over HTTP.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/http/http_site.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Asks by HEAD and, where the server refuses that or does not tell the size, by GET of one byte.
void stat_over_http(const std::shared_ptr<HttpSite>& site, std::string key, const CallContext& context,
                    StatCallback done);

}  // namespace forebay::storage
