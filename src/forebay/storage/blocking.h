// The calls of an ObjectStore for callers that may wait: tools, tests, the building of indexes. Never call
// them on a store's or the engine's own threads.
#pragma once

#include <string>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

Result<ObjectStat> stat_now(ObjectStore& store, std::string key);
Result<ListPage> list_now(ObjectStore& store, ListRequest request);
/// All pages in one.
Result<ListPage> list_all_now(ObjectStore& store, ListRequest request);
Result<ReadBytes> read_now(ObjectStore& store, ReadRequest request);
/// The results in the order of the requests.
std::vector<Result<ReadBytes>> read_many_now(ObjectStore& store, std::vector<ReadRequest> requests);
Result<ObjectStat> write_now(ObjectStore& store, std::string key, Bytes content, WriteOptions options = {});
Status append_now(ObjectWriter& writer, Bytes part);
Result<ObjectStat> commit_now(ObjectWriter& writer);
Status remove_now(ObjectStore& store, std::string key);

}  // namespace forebay::storage
