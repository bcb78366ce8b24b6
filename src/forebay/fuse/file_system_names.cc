// The half of FileSystem that makes, moves and removes names.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "forebay/fuse/errno_table.h"
#include "forebay/fuse/file_system.h"
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
  Draft draft(name->address, {.if_absent = true});
  const Status stored = draft.store(asked.context);
  if (!stored.ok()) {
    fail(asked, errno_for(stored), stored);
    return;
  }
  storage::ObjectStat stat = *draft.stored();
  stat.key = name->key;
  send_entry(asked, *nodes_.look_up(false, std::move(stat)));
}

/// Where a store has no folders, an empty object of the folder's name stands for it.
Status FileSystem::make_directory(const NewName& name, const CallContext& context) {
  const ObjectAddress folder = folder_address(name.address);
  const Result<storage::Entry> entry = storage::find_entry(*options_.store, name.key, context);
  if (entry.ok() || is_mount_point(name.key)) {
    return already_exists("{}: is there already", name.address.uri());
  }
  if (entry.status().code() != StatusCode::kNotFound) {
    return entry.status();
  }
  return folder.store->features().has_directories
             ? storage::make_directory_now(*folder.store, folder.key, context)
             : storage::write_now(*folder.store, folder.key, {}, {}, context).status();
}

void FileSystem::handle(const Asked& asked, const MakeDirectory& make) {
  const std::optional<NewName> name = new_name(asked, asked.node(), make.name);
  if (!name || !may_write(asked, name->address)) {
    return;
  }
  const Status made = make_directory(*name, asked.context);
  if (!made.ok()) {
    fail(asked, errno_for(made), made);
    return;
  }
  send_entry(asked, *nodes_.look_up(true, {.key = as_folder_key(name->key)}));
}

/// An object, or what is being written under its name: that may not be stored yet.
Status FileSystem::remove_object(const NewName& name, const CallContext& context) {
  const std::optional<ActiveDraft> active = drafts_.find_key(name.key);
  if (active) {
    active->draft->discard();
    drafts_.forget_key(name.key);
  }
  if (active && !active->draft->stored()) {
    return ok_status();
  }
  return storage::remove_now(*name.address.store, name.address.key, context);
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
  drafts_.forget_expected(name->key);
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
  const Result<bool> is_empty = is_empty_folder(to.address, context);
  return is_empty.ok() ? (*is_empty ? 0 : ENOTEMPTY) : errno_for(is_empty.status());
}

/// What is being written below a folder, or is the file of this name, is stored under the name that it has.
Status FileSystem::store_below(const std::string& key, const CallContext& context) {
  std::vector<ActiveDraft> drafts = drafts_.below(as_folder_key(key));
  if (std::optional<ActiveDraft> active = drafts_.find_key(key)) {
    drafts.push_back(*std::move(active));
  }
  for (const ActiveDraft& each : drafts) {
    FOREBAY_RETURN_IF_ERROR(store_draft(each.node, *each.draft, context));
  }
  return ok_status();
}

Status FileSystem::move(const NewName& from, const NewName& to, const storage::Entry& moved,
                        const Rename& rename, const CallContext& context) {
  storage::Place place = {.name = from.address.uri(), .address = from.address, .entry = moved};
  place.entry.stat.key = from.address.key;  // in its own store
  const bool if_absent = (rename.flags & RENAME_NOREPLACE) != 0;
  return storage::move_entry(place, to.address, {.if_absent = if_absent, .replaces_within_store = true},
                             context)
      .status();
}

/// The kernel has moved its names when this is answered; the nodes go with them.
void FileSystem::rename_nodes(const NewName& from, const NewName& to, bool is_folder,
                              const CallContext& context) {
  const NodeRef node = nodes_.find_key(is_folder ? as_folder_key(from.key) : from.key);
  const std::string below = as_folder_key(from.key);
  for (const ActiveDraft& each : drafts_.below(is_folder ? below : from.key)) {
    if (!is_folder && each.key != from.key) {
      continue;
    }
    const std::string key = to.key + each.key.substr(from.key.size());
    const Result<ObjectAddress> address = address_of(key);
    if (address.ok()) {
      each.draft->move_to(*address);
      drafts_.rename(each.node, key);
    }
  }
  if (is_folder) {
    nodes_.forget_key(as_folder_key(to.key));
    nodes_.rename_folder(below, as_folder_key(to.key));
    return;
  }
  nodes_.forget_key(to.key);
  Result<storage::ObjectStat> stat = storage::stat_now(*to.address.store, to.address.key, context);
  if (node && stat.ok()) {
    stat->key = to.key;
    nodes_.set_stat(node->id, *std::move(stat));
  } else {
    nodes_.forget_key(from.key);
  }
}

void FileSystem::handle(const Asked& asked, const Rename& rename) {
  const std::optional<NewName> from = new_name(asked, asked.node(), rename.name);
  const std::optional<NewName> to = from ? new_name(asked, rename.new_folder, rename.new_name) : std::nullopt;
  if (!to) {
    return;
  }
  if ((rename.flags & ~static_cast<uint32_t>(RENAME_NOREPLACE)) != 0) {
    send_error(asked, EINVAL);
    return;
  }
  if (from->key == to->key) {
    send_error(asked, 0);
    return;
  }
  Status status = store_below(from->key, asked.context);
  Result<storage::Entry> moved =
      status.ok() ? storage::find_entry(*options_.store, from->key, asked.context) : status;
  if (!moved.ok()) {
    fail(asked, errno_for(moved.status()), moved.status());
    return;
  }
  if (const int error = check_rename(rename, *from, *to, *moved, asked.context); error != 0) {
    send_error(asked, error);
    return;
  }
  status = move(*from, *to, *moved, rename, asked.context);
  if (!status.ok()) {
    fail(asked, errno_for(status), status);
    return;
  }
  if (const std::optional<ActiveDraft> replaced = drafts_.find_key(to->key)) {
    replaced->draft->discard();
    drafts_.forget_key(to->key);
  }
  rename_nodes(*from, *to, moved->is_folder, asked.context);
  send_error(asked, 0);
}

}  // namespace forebay::fuse
