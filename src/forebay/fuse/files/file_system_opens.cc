// The part of FileSystem that opens files to write them, and creates them.
#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/files/url_names.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/storage/blocking.h"

namespace forebay::fuse {

/// The name that a request is to make or to remove; answered, and nothing, where that cannot be.
std::optional<FileSystem::NewName> FileSystem::new_name(const Asked& asked, uint64_t folder,
                                                        std::string_view name) {
  NewName made = {.folder = folder_node(asked, folder)};
  if (!made.folder) {
    return std::nullopt;
  }
  if (options_.is_read_only || name.size() > kMaxNameBytes) {
    send_error(asked, options_.is_read_only ? EROFS : ENAMETOOLONG);
    return std::nullopt;
  }
  made.key = made.folder->stat.key + std::string(name);
  Result<storage::ObjectAddress> address = address_for_all(made.key);
  if (!address.ok()) {
    fail(asked, errno_for(address.status()), address.status());
    return std::nullopt;
  }
  made.writable = check_write(*address, false);
  if (errno_for(made.writable) == EROFS) {  // nothing of this store is changed
    fail(asked, is_mount_point(made.key) ? EBUSY : EROFS, made.writable);
    return std::nullopt;
  }
  if (has_url_names(*address->store) && !is_url_name(name)) {
    send_error(asked, EINVAL);
    return std::nullopt;
  }
  made.address = *std::move(address);
  return made;
}

/// The error of writing this, or of replacing an object that is there, as far as the store says it at once:
/// EROFS where it takes nothing.
Status FileSystem::check_write(const storage::ObjectAddress& address, bool is_replacing) {
  const Status status = address.store->check_write(address.key, is_replacing);
  return status.code() == StatusCode::kUnimplemented ? errno_status(EROFS, address.uri()) : status;
}

/// Whether check_write() has said that this may be written; answered if not.
bool FileSystem::may_write(const Asked& asked, const Status& writable) {
  if (!writable.ok()) {
    fail(asked, errno_for(writable), writable);
  }
  return writable.ok();
}

/// A handle of what is being written, or begins to be: as `created` says, or else with what the node is. Null
/// where the node is not to be written any more.
std::shared_ptr<FileSystem::OpenFile> FileSystem::open_draft(const NodeRef& node,
                                                             const storage::ObjectAddress& address,
                                                             uint32_t flags,
                                                             const std::optional<DraftOptions>& created) {
  const auto begin = [&]() -> std::shared_ptr<Draft> {
    const NodeRef now = nodes_.find(node->id);  // it may have been written since
    if (!now || !nodes_.is_for_writing(node->id)) {
      return nullptr;
    }
    return std::make_shared<Draft>(address, write_memory_, created.value_or(DraftOptions{.base = now->stat}));
  };
  const auto file = std::make_shared<OpenFile>();
  file->node = node;
  file->address = address;
  file->can_write = true;
  file->appends = (flags & O_APPEND) != 0;
  file->draft = drafts_.open(node->id, node->stat.key, begin);
  return file->draft ? file : nullptr;
}

/// Answers what was opened for writing; it is closed where nobody hears of it.
template <class Make>
void FileSystem::answer_opened(const Asked& asked, const std::shared_ptr<OpenFile>& file, uint32_t flags,
                               Make make_answer) {
  uint64_t handle = 0;
  absl::Cleanup undo = [&] {
    files_.remove(handle);
    close_draft(asked, *file);
  };
  handle = files_.add(file, {.node = file->node->id, .flags = flags | O_WRONLY});
  if (send_value(asked, make_answer(OpenOut{.handle = handle, .flags = kDirectIo}))) {
    std::move(undo).Cancel();
  }
}

// What is read by one node must not change by it: the kernel keeps its bytes. So the name is made to lead to
// another one: at ESTALE the kernel looks it up anew, and opens what it finds.
void FileSystem::open_for_writing(const Asked& asked, const NodeRef& node, uint32_t flags) {
  if (options_.is_read_only) {
    send_error(asked, EROFS);
    return;
  }
  const std::string& key = node->stat.key;
  const Result<storage::ObjectAddress> address = address_for_all(key);
  if (!address.ok()) {
    fail(asked, errno_for(address.status()), address.status());
    return;
  }
  const std::shared_ptr<Draft> draft = drafts_.find(node->id);
  if (!may_write(asked, check_write(*address, !draft || draft->stored()))) {
    return;
  }
  const std::shared_ptr<OpenFile> file =
      nodes_.is_outdated(node->id) ? nullptr : open_draft(node, *address, flags, std::nullopt);
  if (!file) {
    drafts_.expect(key, asked.request.header.pid);
    send_error(asked, ESTALE);
    return;
  }
  drafts_.take_expected(key, asked.request.header.pid);
  if ((flags & O_TRUNC) != 0) {
    const Status emptied = file->draft->resize(0, asked.context);
    if (!emptied.ok()) {
      close_draft(asked, *file);
      fail(asked, errno_for_open_file(emptied), emptied);
      return;
    }
    file->has_changed = true;
  }
  answer_opened(asked, file, flags, [](const OpenOut& out) { return out; });
}

/// What a file that is created begins as: the kernel may believe that there is none, and there is by now.
/// Answered, and nothing, where it cannot be created.
std::optional<DraftOptions> FileSystem::draft_to_create(const Asked& asked, const NewName& name,
                                                        uint32_t flags) {
  DraftOptions options = {.if_absent = (flags & O_EXCL) != 0};
  if ((flags & O_EXCL) == 0 && (flags & O_TRUNC) != 0) {
    return options;
  }
  Result<storage::Entry> entry = storage::find_entry(*options_.store, name.key, asked.context);
  if (entry.status().code() == StatusCode::kNotFound) {
    return options;
  }
  if (!entry.ok()) {
    fail(asked, errno_for(entry.status()), entry.status());
    return std::nullopt;
  }
  if ((flags & O_EXCL) != 0 || entry->is_folder) {
    send_error(asked, (flags & O_EXCL) != 0 ? EEXIST : EISDIR);
    return std::nullopt;
  }
  entry->stat.key = name.key;
  options.base = std::move(entry->stat);
  return options;
}

void FileSystem::handle(const Asked& asked, const Create& create) {
  const std::optional<NewName> name = new_name(asked, asked.node(), create.name);
  if (!name || !may_write(asked, name->writable)) {
    return;
  }
  const std::optional<ActiveDraft> active = drafts_.find_key(name->key);
  if (active && (create.flags & O_EXCL) != 0) {
    send_error(asked, EEXIST);
    return;
  }
  const uint64_t seen_changes = nodes_.changes(name->key);
  const std::optional<DraftOptions> options =
      active ? DraftOptions() : draft_to_create(asked, *name, create.flags);
  if (!options || (options->base && !may_write(asked, check_write(name->address, true)))) {
    return;
  }
  NodeRef node = active ? nodes_.look_up_node(active->node) : nullptr;
  if (!node) {
    node = nodes_.look_up_for_writing(
        options->base.value_or(storage::ObjectStat{.key = name->key, .modified_ns = options_.mounted_ns}),
        seen_changes);
  }
  absl::Cleanup forget = [&] { nodes_.forget(node->id, 1); };
  const std::shared_ptr<OpenFile> file = open_draft(node, name->address, create.flags, options);
  if (!file) {  // whoever was writing it has ended this moment
    send_error(asked, ESTALE);
    return;
  }
  file->has_changed = !options->base;
  if ((create.flags & O_TRUNC) != 0 && (active || options->base)) {
    file->has_changed = file->draft->resize(0, asked.context).ok();
  }
  std::move(forget).Cancel();
  answer_opened(asked, file, create.flags, [&](const OpenOut& open) {
    struct {
      EntryOut entry;
      OpenOut open;
    } const out = {entry_of(*node), open};
    return out;
  });
}

}  // namespace forebay::fuse
