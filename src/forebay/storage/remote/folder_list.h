// Listings of trees whose folders are asked for one by one, sorted as an object store sorts keys: by the
// bytes of the whole key. Only the folders on the way from the root to the place of the listing are held.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// What a folder holds, with whole keys, in any order; those of folders end with "/".
using FolderEntries = std::vector<ObjectStat>;

/// Asks for all entries of `folder`, which ends with "/" or is empty. One that is not there has none. Errors
/// name it.
using FetchFolder = std::function<void(const std::string& folder, const CallContext& context,
                                       absl::AnyInvocable<void(Result<FolderEntries>)> done)>;

/// `uri` names the listing in errors. What does not begin with the request's prefix is left out, and names
/// that come twice come once. A page that failed can be asked for again. invalid_argument for a delimiter
/// other than "/", resource_exhausted for folders in more than 128 levels.
std::unique_ptr<ListStream> open_folder_list(std::string uri, ListRequest request, FetchFolder fetch);

}  // namespace forebay::storage
