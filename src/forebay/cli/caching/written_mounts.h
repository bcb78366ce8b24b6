// The mounts that are written back, for the daemon that stores what was written to them.
#pragma once

#include <string>

#include "forebay/cache/hosted/host_stores.h"

namespace forebay::cli {

/// See cache::WrittenMounts. The table is read anew: credentials come from there, and a mount that has gone,
/// or that holds something else now, stores nothing.
Result<cache::OpenStore> written_mount(const std::string& path, const std::string& uri);

}  // namespace forebay::cli
