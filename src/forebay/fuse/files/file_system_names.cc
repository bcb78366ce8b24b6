// The part of FileSystem that makes, moves and removes names.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/moves.h"

namespace forebay::fuse {
namespace {

using storage::as_folder_key;
using storage::CallContext;
using storage::ObjectAddress;

/// Of a folder: its key there with a slash at its end.
ObjectAddress folder_address(const ObjectAddress& address) {
  return {address.store, as_folder_key(address.key)};
}

}  // namespace

bool FileSystem::is_mount_point(const std::string& key) const {
  return options_.is_mount_point && options_.is_mount_point(key);
}

/// An empty object.
Status FileSystem::make_node(const NewName& name, const CallContext& context, storage::ObjectStat* made) {
  FOREBAY_RETURN_IF_ERROR(check_absent(name, context));
  Draft draft(name.address, write_memory_, {.if_absent = true});
  FOREBAY_RETURN_IF_ERROR(draft.store(context));
  *made = *draft.stored();
  made->key = name.key;
  return ok_status();
}

// Created by its name alone, and closed at once.
void FileSystem::handle(const Asked& asked, const MakeNode& make) {
  const std::optional<NewName> name = new_name(asked, asked.node(), make.name);
  if (!name) {
    return;
  }
  if (!S_ISREG(make.mode)) {
    send_error(asked, EPERM);
    return;
  }
  if (!may_write(asked, name->writable)) {
    return;
  }
  storage::ObjectStat stat;
  const Status made = make_node(*name, asked.context, &stat);
  if (!made.ok()) {
    fail(asked, errno_for(made), made);
    return;
  }
  send_entry(asked, *nodes_.look_up(false, std::move(stat)));
}

/// The kernel believes that nothing has the name; somebody else may have used it since.
Status FileSystem::check_absent(const NewName& name, const CallContext& context) {
  const Result<storage::Entry> entry = storage::find_entry(*options_.store, name.key, context);
  if (entry.ok() || is_mount_point(name.key) || drafts_.find_key(name.key)) {
    return already_exists("{}: is there already", name.address.uri());
  }
  return entry.status().code() == StatusCode::kNotFound ? ok_status() : entry.status();
}

/// Where a store has no folders, an empty object of the folder's name stands for it.
Status FileSystem::make_directory(const NewName& name, const CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(check_absent(name, context));
  const ObjectAddress folder = folder_address(name.address);
  return folder.store->features().has_directories
             ? storage::make_directory_now(*folder.store, folder.key, context)
             : storage::write_now(*folder.store, folder.key, {}, {}, context).status();
}

void FileSystem::handle(const Asked& asked, const MakeDirectory& make) {
  const std::optional<NewName> name = new_name(asked, asked.node(), make.name);
  if (!name || !may_write(asked, name->writable)) {
    return;
  }
  const Status made = make_directory(*name, asked.context);
  if (!made.ok()) {
    fail(asked, errno_for(made), made);
    return;
  }
  send_entry(asked, *nodes_.look_up(true, {.key = as_folder_key(name->key)}));
}

/// An object, or what is being written under its name: that may not be stored yet, and is stored no more.
Status FileSystem::remove_object(const NewName& name, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<HeldDraft> drafts, hold_drafts(name.key, false, context));
  const Status removed = storage::remove_now(*name.address.store, name.address.key, context);
  if (!removed.ok() && (drafts.empty() || removed.code() != StatusCode::kNotFound)) {
    return removed;
  }
  for (HeldDraft& each : drafts) {
    each.held.discard();
    drafts_.forget_key(name.key);
  }
  return ok_status();
}

void FileSystem::handle(const Asked& asked, const Unlink& unlink) {
  const std::optional<NewName> name = new_name(asked, asked.node(), unlink.name);
  if (!name) {
    return;
  }
  const Status removed = remove_object(*name, asked.context);
  if (!removed.ok()) {
    fail(asked, errno_for(removed), removed);
    return;
  }
  nodes_.forget_key(name->key);
  send_error(asked, 0);
}

/// Whether nothing is in a folder but the object that stands for it.
Result<bool> FileSystem::is_empty_folder(const ObjectAddress& address, const CallContext& context) {
  const std::string folder = as_folder_key(address.key);
  FOREBAY_ASSIGN_OR_RETURN(
      const storage::ListPage page,
      storage::list_now(*address.store,
                        {.prefix = folder, .delimiter = "/", .page_entries = 2, .names_only = true},
                        context));
  return page.prefixes.empty() && std::ranges::all_of(page.objects, [&](const storage::ObjectStat& object) {
           return object.key == folder;
         });
}

Status FileSystem::remove_directory(const NewName& name, const CallContext& context) {
  const ObjectAddress folder = folder_address(name.address);
  if (folder.store->features().has_directories) {
    return storage::remove_now(*folder.store, folder.key, context);
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool is_empty, is_empty_folder(folder, context));
  if (!is_empty) {
    return errno_status(ENOTEMPTY, name.address.uri());
  }
  const Status removed = storage::remove_now(*folder.store, folder.key, context);
  return removed.code() == StatusCode::kNotFound ? ok_status() : removed;  // it went with what was in it
}

void FileSystem::handle(const Asked& asked, const RemoveDirectory& remove) {
  const std::optional<NewName> name = new_name(asked, asked.node(), remove.name);
  if (!name) {
    return;
  }
  const std::string folder = as_folder_key(name->key);
  if (is_mount_point(name->key) || !drafts_.below(folder).empty()) {
    send_error(asked, is_mount_point(name->key) ? EBUSY : ENOTEMPTY);
    return;
  }
  const Status removed = remove_directory(*name, asked.context);
  if (!removed.ok()) {
    fail(asked, errno_for(removed), removed);
    return;
  }
  nodes_.forget_key(folder);
  send_error(asked, 0);
}

/// The errno of a move that cannot be; 0 if it can. What the kernel knows of both names it has checked.
int FileSystem::check_rename(const Rename& rename, const NewName& from, const NewName& to,
                             const storage::Entry& moved, const CallContext& context) {
  if (is_mount_point(from.key) || is_mount_point(to.key)) {
    return EBUSY;
  }
  if (from.address.store->identity() != to.address.store->identity()) {
    return EXDEV;
  }
  if (moved.is_folder && to.key.starts_with(as_folder_key(from.key))) {
    return EINVAL;
  }
  const Result<storage::Entry> there = storage::find_entry(*options_.store, to.key, context);
  if (!there.ok()) {
    return there.status().code() == StatusCode::kNotFound ? 0 : errno_for(there.status());
  }
  if ((rename.flags & RENAME_NOREPLACE) != 0) {
    return EEXIST;
  }
  if (there->is_folder != moved.is_folder) {
    return there->is_folder ? EISDIR : ENOTDIR;
  }
  if (!there->is_folder) {
    return 0;
  }
  if (!drafts_.below(as_folder_key(to.key)).empty()) {
    return ENOTEMPTY;
  }
  const Result<bool> is_empty = is_empty_folder(to.address, context);
  return is_empty.ok() ? (*is_empty ? 0 : ENOTEMPTY) : errno_for(is_empty.status());
}

/// What is being written under a name, and below it: nothing happens to it as long as it is held.
Result<std::vector<FileSystem::HeldDraft>> FileSystem::hold_drafts(const std::string& key,
                                                                   bool with_those_below,
                                                                   const CallContext& context) {
  std::vector<ActiveDraft> drafts;
  if (with_those_below) {
    drafts = drafts_.below(as_folder_key(key));
  }
  if (std::optional<ActiveDraft> active = drafts_.find_key(key)) {
    drafts.push_back(*std::move(active));
  }
  std::vector<HeldDraft> held;
  for (ActiveDraft& each : drafts) {
    FOREBAY_ASSIGN_OR_RETURN(Draft::Held turn, each.draft->hold(context));
    held.push_back({std::move(each), std::move(turn)});
  }
  return held;
}

/// What is written later goes to the new name.
Status FileSystem::move_draft(const NewName& from, const NewName& to, HeldDraft& moved,
                              const CallContext& context) {
  const std::string key = to.key + moved.active.key.substr(from.key.size());
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress address, address_of(key));
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectStat stat, storage::stat_now(*address.store, address.key, context));
  drafts_.rename(moved.active.node, key);
  moved.held.move_to(std::move(address), stat);
  stat.key = key;
  nodes_.set_stat(moved.active.node, std::move(stat));
  return ok_status();
}

/// The kernel has moved its names when this is answered; the nodes go with them.
void FileSystem::rename_nodes(const NewName& from, const NewName& to, const storage::Entry& moved,
                              bool is_copied, const CallContext& context) {
  if (moved.is_folder) {
    nodes_.forget_key(as_folder_key(to.key));
    nodes_.rename_folder(as_folder_key(from.key), as_folder_key(to.key), is_copied);
    return;
  }
  const NodeRef node = nodes_.find_key(from.key);
  if (!node) {  // it was being written, and has its new name
    return;
  }
  nodes_.forget_key(to.key);
  const bool is_what_was_moved =
      node->stat.version == moved.stat.version && node->stat.size_bytes == moved.stat.size_bytes;
  Result<storage::ObjectStat> stat = storage::stat_now(*to.address.store, to.address.key, context);
  if (stat.ok() && is_what_was_moved) {
    stat->key = to.key;
    nodes_.set_stat(node->id, *std::move(stat));
  } else {  // somebody had replaced it, and the kernel has other bytes
    nodes_.note_outdated(node->id);
  }
}

/// An errno without a cause to say is in `error`.
Status FileSystem::rename(const NewName& from, const NewName& to, const Rename& rename, int* error,
                          const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<HeldDraft> moved_drafts, hold_drafts(from.key, true, context));
  for (HeldDraft& each : moved_drafts) {
    FOREBAY_RETURN_IF_ERROR(each.held.store(context));
    note_stored(each.active.node, *each.active.draft);
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::Entry entry, storage::find_entry(*options_.store, from.key, context));
  *error = check_rename(rename, from, to, entry, context);
  if (*error != 0) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(std::vector<HeldDraft> replaced, hold_drafts(to.key, false, context));
  entry.stat.key = from.address.key;  // in its own store
  const storage::Place place = {.name = from.address.uri(), .address = from.address, .entry = entry};
  const storage::MoveOptions options = {.if_absent = (rename.flags & RENAME_NOREPLACE) != 0,
                                        .replaces_within_store = true};
  FOREBAY_ASSIGN_OR_RETURN(const storage::Moved moved,
                           storage::move_entry(place, to.address, options, context));
  for (HeldDraft& each : replaced) {
    each.held.discard();
    drafts_.forget_key(to.key);
  }
  for (HeldDraft& each : moved_drafts) {
    if (const Status status = move_draft(from, to, each, context); !status.ok()) {
      errors_.say(status);
    }
  }
  rename_nodes(from, to, entry, moved.objects > 0, context);
  return ok_status();
}

void FileSystem::handle(const Asked& asked, const Rename& rename) {
  const std::optional<NewName> from = new_name(asked, asked.node(), rename.name);
  const std::optional<NewName> to = from ? new_name(asked, rename.new_folder, rename.new_name) : std::nullopt;
  if (!to) {
    return;
  }
  int error = (rename.flags & ~static_cast<uint32_t>(RENAME_NOREPLACE)) != 0 ? EINVAL : 0;
  if (error == 0 && from->key != to->key) {
    const Status status = this->rename(*from, *to, rename, &error, asked.context);
    if (!status.ok()) {
      fail(asked, errno_for(status), status);
      return;
    }
  }
  send_error(asked, error);
}

}  // namespace forebay::fuse
