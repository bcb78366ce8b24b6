// A ranged read of a file in HDFS, which knows no conditional reads: the status is looked at before and after
// the bytes were read.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/cost_model.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

/// ObjectStore::read(). A file that changed meanwhile is read again, three times in all, unless a version was
/// asked for. `costs` learns from the answer; may be null.
void read_webhdfs(std::shared_ptr<WebhdfsConnection> connection, std::shared_ptr<CostModel> costs,
                  ReadRequest request, const CallContext& context, ReadCallback done);

}  // namespace forebay::storage
