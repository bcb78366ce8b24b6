// The part of FileSystem that writes files which are open, and stores them.
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/fuse/protocol/interrupts.h"
#include "forebay/storage/blocking.h"

namespace forebay::fuse {
namespace {

constexpr uint32_t kOthersBits = S_IRWXG | S_IRWXO;
constexpr uint32_t kSpecialBits = S_ISUID | S_ISGID | S_ISVTX;
constexpr uint32_t kShownToOthers = 0044;

}  // namespace

/// What a handle of the kernel's is; answered, and null, where there is none, or its content is lost.
std::shared_ptr<FileSystem::OpenFile> FileSystem::written_file(const Asked& asked, uint64_t handle) {
  std::shared_ptr<OpenFile> file = files_.find(handle);
  if (!file || file->is_lost) {
    send_error(asked, file ? EIO : EBADF);
    return nullptr;
  }
  return file;
}

void FileSystem::handle(const Asked& asked, const Write& write) {
  const std::shared_ptr<OpenFile> file = written_file(asked, write.handle);
  if (!file) {
    return;
  }
  if (!file->can_write) {
    send_error(asked, EBADF);
    return;
  }
  file->last_writer = write.owner;
  file->was_killed = false;
  file->has_changed = true;
  const std::optional<uint64_t> offset = file->appends ? std::nullopt : std::optional(write.offset);
  const Status written = file->draft->write(offset, write.bytes, asked.context);
  if (!written.ok()) {
    fail(asked, errno_for_open_file(written), written);
    return;
  }
  send_value(asked, WriteOut{.size = static_cast<uint32_t>(write.bytes.size())});
}

void FileSystem::read_draft(const Asked& asked, OpenFile& file, const Read& read) {
  const Result<std::vector<std::byte>> bytes = file.draft->read(read.offset, read.size, asked.context);
  if (!bytes.ok()) {
    fail(asked, errno_for_open_file(bytes.status()), bytes.status());
    return;
  }
  send_bytes(asked, *bytes);
}

Status FileSystem::store_draft(uint64_t node, Draft& draft, const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(draft.store(context));
  note_stored(node, draft);
  return ok_status();
}

/// The node is what the store has.
void FileSystem::note_stored(uint64_t node, const Draft& draft) {
  std::optional<storage::ObjectStat> stored = draft.stored();
  if (stored) {
    nodes_.set_version(node, *std::move(stored));
  }
}

/// Stores what was written, and answers when it is.
void FileSystem::store_or_fail(const Asked& asked, OpenFile& file, bool is_durable) {
  const bool had_changed = file.has_changed.exchange(false);
  Status stored = store_draft(file.node->id, *file.draft, asked.context);
  if (stored.ok() && is_durable) {
    const storage::ObjectAddress address = file.draft->address();  // it may have been renamed
    stored = storage::settle_now(*address.store, address.key, asked.context);
  }
  if (!stored.ok()) {
    file.has_changed = file.has_changed || had_changed;
    fail(asked, errno_for_open_file(stored), stored);
    return;
  }
  send_error(asked, 0);
}

// Each end of a descriptor comes here, also of those that a child of the writer has inherited: these say
// nothing. Who was killed has not ended what it wrote.
void FileSystem::handle(const Asked& asked, const Flush& flush) {
  const std::shared_ptr<OpenFile> file = written_file(asked, flush.handle);
  if (!file) {
    return;
  }
  const uint64_t writer = file->last_writer;
  if (!file->can_write || !file->has_changed || (writer != 0 && writer != flush.owner)) {
    send_error(asked, 0);
    return;
  }
  file->was_killed = is_ended_by_signal(asked.request.header.pid);
  if (file->was_killed) {
    send_error(asked, 0);
    return;
  }
  store_or_fail(asked, *file, false);
}

void FileSystem::handle(const Asked& asked, const Sync& sync) {
  const std::shared_ptr<OpenFile> file = written_file(asked, sync.handle);
  if (file && file->can_write) {
    store_or_fail(asked, *file, true);
  } else if (file) {
    send_error(asked, 0);
  }
}

// What a folder has was stored by the call that has put it there.
void FileSystem::handle(const Asked& asked, const SyncDirectory&) {
  send_error(asked, 0);
}

/// One handle of a file that is being written has gone. With the last one it is stored, if it is not: nobody
/// waits for that, so errors are said in the log. What would take another object's place is not, if its
/// writer was killed.
void FileSystem::close_draft(const Asked& asked, OpenFile& file) {
  const uint64_t node = file.node->id;
  if (!file.can_write || !drafts_.close(node)) {
    return;
  }
  Draft& draft = *file.draft;
  const absl::Cleanup end = [&] { end_draft(node, draft); };
  if (draft.is_unsaved() && !draft.has_failed()) {
    const Status stored =
        file.was_killed && draft.is_replacing()
            ? cancelled("{}: is left as it was, since the program that was to replace it was killed",
                        file.address.uri())
            : store_draft(node, draft, asked.context);
    if (!stored.ok()) {
      errors_.say(stored);
    }
  }
}

/// The node is a file like others from now on, unless it is about to be opened to be written once more.
void FileSystem::end_draft(uint64_t node, const Draft& draft) {
  drafts_.end(node, [&](bool is_expected) {
    if (draft.is_unsaved() || draft.is_discarded()) {  // it is nothing that the store has
      nodes_.note_outdated(node);
    }
    if (!is_expected) {
      nodes_.end_writing(node);
    }
  });
}

void FileSystem::handle(const Asked& asked, const Release& release) {
  const std::shared_ptr<OpenFile> file = files_.find(release.handle);
  files_.remove(release.handle);
  if (file && file->can_write) {
    close_draft(asked, *file);
  }
  send_error(asked, 0);
}

/// Of what is being written, by a handle or by name; else of the object, which is stored at once.
Status FileSystem::resize(const Asked& asked, const NodeRef& node, const SetAttributes& set) {
  const std::shared_ptr<OpenFile> file = (set.valid & kSetByHandle) != 0 ? files_.find(set.handle) : nullptr;
  if (file && file->is_lost) {
    return unavailable("{}: what was written went with a process that was killed", node->stat.key);
  }
  if (const std::shared_ptr<Draft> draft = drafts_.find(node->id)) {
    FOREBAY_RETURN_IF_ERROR(draft->resize(set.size, asked.context));
    if (file) {
      file->has_changed = true;
    }
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, address_for_all(node->stat.key));
  FOREBAY_RETURN_IF_ERROR(check_write(address, true));
  if (set.size == node->stat.size_bytes) {
    return ok_status();
  }
  Draft draft(std::move(address), write_memory_, {.base = node->stat});
  FOREBAY_RETURN_IF_ERROR(draft.resize(set.size, asked.context));
  FOREBAY_RETURN_IF_ERROR(draft.store(asked.context));
  storage::ObjectStat stat = *draft.stored();
  stat.key = node->stat.key;
  nodes_.set_stat(node->id, std::move(stat));
  nodes_.note_outdated(node->id);  // who opens it from now on must not be served as its readers are
  return ok_status();
}

// Objects have no owner, no mode and no times of their own. What asks for these is answered as if it were
// done, as by other file systems without them, so that cp -p, tar and rsync work; but nobody who takes rights
// from others is told that they have gone.
void FileSystem::handle(const Asked& asked, const SetAttributes& set) {
  const NodeRef node = nodes_.find(asked.node());
  if (!node || options_.is_read_only) {
    send_error(asked, node ? EROFS : ESTALE);
    return;
  }
  const bool takes_rights =
      options_.is_for_others && (set.mode & kOthersBits & kShownToOthers) != kShownToOthers;
  if ((set.valid & kSetMode) != 0 && ((set.mode & kSpecialBits) != 0 || takes_rights)) {
    send_error(asked, EPERM);
    return;
  }
  if ((set.valid & kSetSize) != 0) {
    const Status resized = node->is_folder ? ok_status() : resize(asked, node, set);
    if (node->is_folder || !resized.ok()) {
      fail(asked, node->is_folder ? EISDIR : errno_for_open_file(resized), resized);
      return;
    }
  }
  handle(asked, GetAttributes{});
}

// Links, special files, extended attributes and files without a name are nothing that an object store has.
void FileSystem::handle(const Asked& asked, const Change&) {
  if (options_.is_read_only) {
    send_error(asked, EROFS);
    return;
  }
  switch (static_cast<Opcode>(asked.request.header.opcode)) {
    case Opcode::kLink:
    case Opcode::kSymlink:
      send_error(asked, EPERM);
      return;
    case Opcode::kCopyFileRange:
      send_error(asked, ENOSYS);  // the kernel then reads and writes
      return;
    default:
      send_error(asked, EOPNOTSUPP);
  }
}

}  // namespace forebay::fuse
