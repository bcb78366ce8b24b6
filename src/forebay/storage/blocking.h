// Blocking versions of an ObjectStore's calls, for tools, tests and index builders. Never call them on a
// store's or the engine's own threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

Result<ObjectStat> stat_now(ObjectStore& store, std::string key, const CallContext& context = {});
/// Returns the results in the order of the keys.
std::vector<Result<ObjectStat>> stat_many_now(ObjectStore& store, std::vector<std::string> keys,
                                              const CallContext& context = {});
/// Returns the first page.
Result<ListPage> list_now(ObjectStore& store, ListRequest request, const CallContext& context = {});
/// Returns the next page of a listing.
Result<ListPage> next_page_now(ListStream& stream, const CallContext& context = {});
/// Passes the listing to `take` page by page. An error from `take` ends the listing.
Status list_pages_now(ObjectStore& store, ListRequest request,
                      const std::function<Status(const ListPage& page)>& take,
                      const CallContext& context = {});
/// Returns all pages as one.
Result<ListPage> list_all_now(ObjectStore& store, ListRequest request, const CallContext& context = {});
Result<ReadBytes> read_now(ObjectStore& store, ReadRequest request, const CallContext& context = {});
/// Returns the results in the order of the requests.
std::vector<Result<ReadBytes>> read_many_now(ObjectStore& store, std::vector<ReadRequest> requests,
                                             const CallContext& context = {});
/// Returns the outcomes in the order of the requests.
std::vector<Result<BringOutcome>> bring_many_now(ObjectStore& store, std::vector<BringRequest> requests,
                                                 const CallContext& context = {});
Result<ObjectStat> write_now(ObjectStore& store, std::string key, Bytes content, WriteOptions options = {},
                             const CallContext& context = {});
Status append_now(ObjectWriter& writer, Bytes part, const CallContext& context = {});
Result<ObjectStat> commit_now(ObjectWriter& writer, const CallContext& context = {});
Status remove_now(ObjectStore& store, std::string key, const CallContext& context = {});
/// Returns the outcomes in the order of the keys.
std::vector<Status> remove_many_now(ObjectStore& store, std::vector<std::string> keys,
                                    const CallContext& context = {});
Result<ObjectStat> rename_now(ObjectStore& store, MoveRequest request, const CallContext& context = {});
Result<ObjectStat> copy_now(ObjectStore& store, MoveRequest request, const CallContext& context = {});
Status settle_now(ObjectStore& store, std::string key, const CallContext& context = {});
Status make_directory_now(ObjectStore& store, std::string key, const CallContext& context = {});

}  // namespace forebay::storage
