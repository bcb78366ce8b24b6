// The half of FileSystem that tells what is known of a file beside its attributes.
#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/storage/blocking.h"

namespace forebay::fuse {
namespace {

constexpr uint64_t kAskedBytes = uint64_t{1} << 20;  // as caches keep large objects
constexpr size_t kAskedTogether = 64;

/// How many bytes of an object are near. An object is asked for in pieces, some at a time.
Result<uint64_t> resident_bytes(const storage::ObjectAddress& address, const storage::ObjectStat& stat,
                                const storage::CallContext& context) {
  uint64_t resident = 0;
  for (uint64_t at = 0; at < stat.size_bytes;) {
    std::vector<storage::ReadRequest> requests;
    for (; at < stat.size_bytes && requests.size() < kAskedTogether; at += kAskedBytes) {
      requests.push_back({.key = address.key,
                          .offset_bytes = at,
                          .length_bytes = std::min(kAskedBytes, stat.size_bytes - at),
                          .if_version = stat.version,
                          .only_resident = true,
                          .object_bytes = stat.size_bytes});
    }
    if (!storage::is_wanted(context)) {
      return storage::not_wanted(context, address.uri());
    }
    for (const Result<storage::ReadBytes>& each :
         storage::read_many_now(*address.store, std::move(requests), context)) {
      resident += each.ok() ? each->bytes.size() : 0;
    }
  }
  return resident;
}

}  // namespace

/// The value of an attribute, or its size where `size` is 0.
void FileSystem::send_sized(const Asked& asked, std::string_view value, uint32_t size) {
  if (size == 0) {
    send_value(asked, GetXattrOut{.size = static_cast<uint32_t>(value.size())});
  } else if (value.size() > size) {
    send_error(asked, ERANGE);
  } else {
    send_bytes(asked, std::as_bytes(std::span(value.data(), value.size())));
  }
}

void FileSystem::send_resident(const Asked& asked, const Node& node, uint32_t size) {
  const Result<storage::ObjectAddress> address = address_for_all(node.stat.key);
  if (!address.ok() || node.is_folder || !address->store->features().has_resident) {
    send_error(asked, ENODATA);
    return;
  }
  const Result<uint64_t> bytes = resident_bytes(*address, node.stat, asked.context);
  if (!bytes.ok()) {
    fail(asked, errno_for(bytes.status()), bytes.status());
    return;
  }
  send_sized(asked, fmt::format("{}", *bytes), size);
}

void FileSystem::handle(const Asked& asked, const GetXattr& get) {
  const NodeRef node = nodes_.find(asked.node());
  if (node && get.name == kResidentXattr) {
    send_resident(asked, *node, get.size);
    return;
  }
  if (!node || get.name != kVersionXattr || node->stat.version.empty()) {
    send_error(asked, node ? ENODATA : ESTALE);
    return;
  }
  send_sized(asked, node->stat.version, get.size);
}

void FileSystem::handle(const Asked& asked, const ListXattr& list) {
  const NodeRef node = nodes_.find(asked.node());
  if (!node) {
    send_error(asked, ESTALE);
    return;
  }
  std::string names;
  if (!node->stat.version.empty()) {
    names += std::string(kVersionXattr) + '\0';
  }
  const Result<storage::ObjectAddress> address = address_for_all(node->stat.key);
  if (!node->is_folder && address.ok() && address->store->features().has_resident) {
    names += std::string(kResidentXattr) + '\0';
  }
  send_sized(asked, names, list.size);
}

}  // namespace forebay::fuse
