// The last step of a write: the temporary file gets its name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

/// Renames the file `temporary`, which holds `size_bytes`, to `key`. The namenode keeps what is there with
/// `if_absent`; with `if_version` the driver looks just before, so a writer in between is not seen. Where an
/// answer is lost, the file is looked for under its name.
void commit_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string temporary,
                    std::string key, uint64_t size_bytes, const WriteOptions& options,
                    const CallContext& context, StatCallback done);

}  // namespace forebay::storage
