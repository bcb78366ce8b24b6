// Lists the folders of a web server that gives machine-readable indexes, the way an object store lists keys:
// sorted by the bytes of the whole key, in pages. One folder's index at a time is in memory.
#pragma once

#include <memory>

#include "forebay/storage/http/http_site.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The entries have no versions: an index does not tell them. unimplemented where the server gives no index
/// that can be read.
std::unique_ptr<ListStream> list_over_http(std::shared_ptr<HttpSite> site, ListRequest request);

}  // namespace forebay::storage
