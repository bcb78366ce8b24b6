// The part of FileSystem that opens files to read them, and reads them.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/storage/blocking.h"

namespace forebay::fuse {
namespace {

using storage::ReadBytes;
using storage::ReadRequest;

constexpr uint64_t kMaxReadBytes = uint64_t{16} << 20;     // the kernel asks for 1 MiB, as it was told
constexpr uint64_t kMaxComparedBytes = uint64_t{1} << 30;  // while a program opens a file
constexpr int64_t kMaxResidentNs = 100 * kMillisecond;

/// What a read of a part of a file is made of: requests, and the part of each answer that is wanted.
struct ReadParts {
  std::vector<ReadRequest> requests;
  std::vector<FilePart> wanted;  // within the answers
};

ReadParts parts_of(const storage::ObjectStat& stat, const std::string& key, FilePart part, bool by_pieces) {
  ReadParts parts;
  const uint64_t end = part.offset_bytes + part.length_bytes;
  for (uint64_t at = part.offset_bytes; at < end;) {
    uint64_t begin = at;
    uint64_t stop = end;
    uint64_t wanted_end = end;
    if (by_pieces) {
      begin = at / kPieceBytes * kPieceBytes;
      stop = std::min(begin + kPieceBytes, stat.size_bytes);
      wanted_end = std::min(stop, end);
    }
    parts.requests.push_back({.key = key,
                              .offset_bytes = begin,
                              .length_bytes = stop - begin,
                              .if_version = stat.version,
                              .object_bytes = stat.size_bytes});
    parts.wanted.push_back({at - begin, wanted_end - at});
    at = wanted_end;
  }
  return parts;
}

/// What a read asks for, as far as the file goes: what is answered is never less, since the kernel would take
/// the rest for zeros.
FilePart part_of(const storage::ObjectStat& stat, const Read& read) {
  const uint64_t offset = std::min(read.offset, stat.size_bytes);
  return {offset, std::min(uint64_t{read.size}, stat.size_bytes - offset)};
}

/// The bytes that are wanted of the answers.
std::vector<Bytes> wanted_bytes(const std::vector<ReadBytes>& answers, const ReadParts& parts) {
  std::vector<Bytes> bytes;
  for (size_t i = 0; i < answers.size(); ++i) {
    bytes.push_back(answers[i].bytes.subspan(parts.wanted[i].offset_bytes, parts.wanted[i].length_bytes));
  }
  return bytes;
}

/// Memory of this thread, for stores that have to be given some.
MutableBytes scratch(uint64_t bytes) {
  thread_local std::vector<std::byte> memory;
  if (memory.size() < bytes) {
    memory.resize(bytes);
  }
  return MutableBytes(memory).first(bytes);
}

Result<std::vector<ReadBytes>> read_all(storage::ObjectStore& store, std::vector<ReadRequest> requests,
                                        const storage::CallContext& context) {
  std::vector<ReadBytes> all;
  if (requests.size() == 1) {
    FOREBAY_ASSIGN_OR_RETURN(ReadBytes bytes, storage::read_now(store, std::move(requests[0]), context));
    all.push_back(std::move(bytes));
    return all;
  }
  for (Result<ReadBytes>& each : storage::read_many_now(store, std::move(requests), context)) {
    FOREBAY_RETURN_IF_ERROR(each.status());
    all.push_back(*std::move(each));
  }
  return all;
}

}  // namespace

Result<storage::ObjectAddress> FileSystem::address_of(const std::string& key) const {
  return options_.find_address ? options_.find_address(key) : storage::ObjectAddress{options_.store, key};
}

/// The address of what may be shown: permission_denied for a file of this host where other users may ask. A
/// cache before one has no path to it, but its name is one.
Result<storage::ObjectAddress> FileSystem::address_for_all(const std::string& key) const {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, address_of(key));
  if (options_.is_for_others && (address.store->local_file(address.key) || address.uri().starts_with('/'))) {
    return permission_denied(
        "{}: other users are shown no files of this host, whose own modes say who may read them",
        address.uri());
  }
  return address;
}

// The node says which version it is, so nobody is asked. At ESTALE the kernel looks the name up anew, however
// long it would have trusted it, and opens what it finds.
void FileSystem::handle(const Asked& asked, const Open& open) {
  const bool is_changing =
      nodes_.is_for_writing(asked.node());  // before what it is, which is final if it is not
  const NodeRef node = nodes_.find(asked.node());
  if (node && !node->is_folder && wants_to_write(open.flags)) {
    open_for_writing(asked, node, open.flags);
    return;
  }
  if (!node || node->is_folder || nodes_.is_outdated(asked.node())) {
    send_error(asked, node && node->is_folder ? EISDIR : ESTALE);
    return;
  }
  Result<std::shared_ptr<OpenFile>> file = open_file(node);
  if (!file.ok()) {
    fail(asked, errno_for(file.status()), file.status());
    return;
  }
  (*file)->draft = drafts_.find(node->id);
  const uint32_t had_draft = (*file)->draft ? kHadDraft : 0;
  if ((*file)->by_pieces && !is_changing) {
    (*file)->backing = backing_files_.open(node->id, [&] { return whole_file(**file, asked.context); });
  }
  const uint32_t backing = (*file)->backing ? (*file)->backing->backing() : 0;
  const HandleFacts facts = {
      .node = node->id, .flags = open.flags | had_draft, .backing_id = static_cast<int32_t>(backing)};
  const uint64_t handle = files_.add(*std::move(file), facts);
  uint32_t flags = kNoFlush;
  if (is_changing) {
    flags |= kDirectIo;  // the kernel keeps no bytes of what changes
  } else if (backing != 0) {
    flags |= kOpenBacking;
  } else if (nodes_.is_sure(node->id)) {
    flags |= kKeepCache;
  }
  if (!send_value(asked,
                  OpenOut{.handle = handle, .flags = flags, .backing_id = static_cast<int32_t>(backing)})) {
    files_.remove(handle);
  }
}

Result<std::shared_ptr<FileSystem::OpenFile>> FileSystem::open_file(const NodeRef& node) const {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, address_for_all(node->stat.key));
  auto file = std::make_shared<OpenFile>();
  file->node = node;
  file->address = std::move(address);
  file->gives_views = file->address.store->features().has_resident;
  file->by_pieces = file->gives_views && node->stat.size_bytes > kPieceBytes;
  return file;
}

/// All of a file that the store has as a whole in a file of its own. An earlier run's is compared with its
/// checksums, which nobody should wait for long.
Result<ReadBytes> FileSystem::whole_file(const OpenFile& file, const storage::CallContext& context) {
  const storage::ObjectStat& stat = file.node->stat;
  ReadRequest request = {.key = file.address.key,
                         .length_bytes = stat.size_bytes,
                         .if_version = stat.version,
                         .only_resident = true,
                         .object_bytes = stat.size_bytes};
  if (stat.version.empty()) {
    return unimplemented("{}: it has no version", file.address.uri());
  }
  if (stat.size_bytes > kMaxComparedBytes) {
    FOREBAY_RETURN_IF_ERROR(storage::read_now(*file.address.store, request, context).status());
  }
  request.wants_file = true;
  FOREBAY_ASSIGN_OR_RETURN(ReadBytes whole,
                           storage::read_now(*file.address.store, std::move(request), context));
  if (whole.has_weak_version || whole.size_bytes() != stat.size_bytes) {
    return failed_precondition("{}: its version is not that of these bytes alone", file.address.uri());
  }
  nodes_.note_version(file.node->id, false);
  return whole;
}

/// Some servers say nothing that changes whenever the bytes do. What the kernel has of those must not stay.
void FileSystem::note_version(OpenFile& file, const std::vector<ReadBytes>& reads) {
  if (std::ranges::any_of(reads, [](const ReadBytes& each) { return each.has_weak_version; })) {
    nodes_.note_version(file.node->id, true);
  } else if (!reads.empty() && !file.node->stat.version.empty() && !file.has_strong_reads.exchange(true)) {
    nodes_.note_version(file.node->id, false);
  }
}

void FileSystem::handle(const Asked& asked, const Read& read) {
  const std::shared_ptr<OpenFile> file = files_.find(read.handle);
  if (!file || !file->node || file->is_lost) {
    send_error(asked, file ? EIO : EBADF);
    return;
  }
  if (file->draft) {
    read_draft(asked, *file, read);
    return;
  }
  const FilePart part = part_of(file->node->stat, read);
  if (part.length_bytes > kMaxReadBytes) {
    send_error(asked, EINVAL);
    return;
  }
  const absl::Cleanup bring_next = [&, next = wanted_next(*file, part)]() mutable {
    ahead_.bring(file->address, file->node->stat, std::move(next));
  };
  ReadParts parts = parts_of(file->node->stat, file->address.key, part, file->by_pieces);
  if (part.length_bytes > 0 && !file->gives_views) {
    parts.requests[0].into = scratch(part.length_bytes);
  }
  const Result<std::vector<ReadBytes>> all =
      read_all(*file->address.store, std::move(parts.requests), asked.context);
  if (!all.ok()) {
    const int error = errno_for_open_file(all.status());
    if (error == ESTALE) {
      nodes_.note_outdated(file->node->id);
    }
    fail(asked, error, all.status());
    return;
  }
  note_version(*file, *all);
  asked.replies.send(asked.request.header.unique, 0, wanted_bytes(*all, parts));
}

bool FileSystem::answer_resident(const Request& request, const std::stop_token& cancellation,
                                 Replies& replies) {
  const auto* const read = std::get_if<Read>(&request.operation);
  const std::shared_ptr<OpenFile> file = read == nullptr ? nullptr : files_.find(read->handle);
  if (!file || file->draft || file->is_lost || !file->gives_views || read->size > kMaxReadBytes) {
    return false;
  }
  const FilePart part = part_of(file->node->stat, *read);
  ReadParts parts = parts_of(file->node->stat, file->address.key, part, file->by_pieces);
  for (ReadRequest& each : parts.requests) {
    each.only_resident = true;
  }
  const storage::CallContext context = {.cancellation = cancellation,
                                        .deadline_ns = steady_clock().now_ns() + kMaxResidentNs};
  const Result<std::vector<ReadBytes>> all =
      read_all(*file->address.store, std::move(parts.requests), context);
  if (!all.ok()) {
    return false;
  }
  note_version(*file, *all);
  std::vector<FilePart> next = wanted_next(*file, part);
  replies.send(request.header.unique, 0, wanted_bytes(*all, parts));
  ahead_.bring(file->address, file->node->stat, std::move(next));
  return true;
}

/// Takes note of how a large file is read. What its reader is going to ask for, where the store can bring it.
std::vector<FilePart> FileSystem::wanted_next(OpenFile& file, FilePart part) {
  return file.by_pieces ? file.pattern.note(part.offset_bytes, part.length_bytes, file.node->stat.size_bytes)
                        : std::vector<FilePart>();
}

}  // namespace forebay::fuse
