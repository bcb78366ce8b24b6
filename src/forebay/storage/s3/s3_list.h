// ListObjectsV2, a page at a time.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/s3/s3_connection.h"

namespace forebay::storage {

std::unique_ptr<ListStream> open_s3_list(std::shared_ptr<S3Connection> connection, ListRequest request);

/// Makes a page what the store's contract says: what sorts up to the request's `start_after` is left out, and
/// so is a folded prefix that was delivered before or that `start_after` lies in (S3 lists it once more).
/// `delivered` is the last name of the pages before. data_loss where names lack the prefix or are not sorted:
/// such a listing cannot be continued.
Status check_s3_page(const ListRequest& request, std::string_view delivered, ListPage& page);

}  // namespace forebay::storage
