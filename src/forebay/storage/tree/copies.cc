#include "forebay/storage/tree/copies.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/local/disk.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/tree/copy_object.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

/// What is below a folder cannot be copied into that folder: it would never end.
Status check_apart(const Place& from, const ObjectAddress& to) {
  const std::string target = as_folder_key(to.key);
  const bool is_one_store = from.address.store->identity() == to.store->identity();
  if (is_one_store && target.starts_with(from.folder_key())) {
    return invalid_argument("{} cannot be copied into itself", from.name);
  }
  return ok_status();
}

bool is_local(const ObjectAddress& address) {
  return address.store == LocalStore::process_store();
}

/// `listed`, or what the store says now where the listing tells no versions.
Result<ObjectStat> with_version(const ObjectAddress& address, const ObjectStat& listed,
                                const CallContext& context) {
  return listed.version.empty() ? stat_now(*address.store, address.key, context) : listed;
}

/// An empty object that marks a folder is made, not copied: some servers refuse that. One may be there.
Result<ObjectStat> make_marker(const ObjectAddress& address, const CallContext& context) {
  return write_now(*address.store, address.key, {}, {}, context);
}

/// The local store without a sync for each file: of a folder, all of them are made durable together.
ObjectAddress among_many(ObjectAddress address) {
  static auto* const unsynced = new std::shared_ptr<ObjectStore>(std::make_shared<LocalStore>());
  if (is_local(address)) {
    address.store = *unsynced;
  }
  return address;
}

}  // namespace

Copies::Copies(CopiesOptions options, CallContext context)
    : options_(std::move(options)),
      context_(std::move(context)),
      queue_(options_.jobs, [this] { tell_progress(); }) {
}

Status Copies::add(ObjectAddress from, ObjectAddress to, const ObjectStat& listed) {
  if (context_.cancellation.stop_requested()) {
    return not_wanted(context_, from.uri());
  }
  expected_bytes_ += listed.size_bytes;
  return queue_.add(
      [this, from = std::move(from), to = std::move(to), listed] { return copy(from, to, listed); });
}

Status Copies::add_folder(const Place& from, const ObjectAddress& to) {
  FOREBAY_RETURN_IF_ERROR(check_apart(from, to));
  if (is_local(to)) {
    unsynced_.push_back(to.key);
  }
  const ObjectAddress sink = among_many({to.store, as_folder_key(to.key)});
  const auto take = [&](const ListPage& page) { return add_page(page, from, sink); };
  return list_pages_now(*from.address.store, {.prefix = from.folder_key()}, take, context_);
}

Status Copies::add_page(const ListPage& page, const Place& from, const ObjectAddress& to) {
  const size_t start = from.folder_key().size();
  const bool has_folders = to.store->features().has_directories;
  for (const ObjectStat& object : page.objects) {
    const std::string below = from.address.store->name_of(object.key.substr(start));
    const ObjectAddress source = among_many({from.address.store, object.key});
    const bool is_folder = marks_folder(object);
    const std::string_view name = std::string_view(below).substr(0, below.size() - (is_folder ? 1 : 0));
    if (has_folders && !below.empty() && !stays_below(name)) {
      return invalid_argument("{}: no file below {} can have this name; rename the object first",
                              source.uri(), to.uri());
    }
    if (has_folders && is_folder) {
      FOREBAY_RETURN_IF_ERROR(make_directory_now(*to.store, to.key + below, context_));
      if (options_.copied && !from.address.store->features().has_directories) {
        FOREBAY_ASSIGN_OR_RETURN(const ObjectStat marker, with_version(source, object, context_));
        options_.copied(marker);
      }
    } else {
      FOREBAY_RETURN_IF_ERROR(add(source, {to.store, to.key + below}, object));
    }
  }
  return ok_status();
}

Status Copies::finish() {
  FOREBAY_RETURN_IF_ERROR(queue_.finish());
  tell_progress();
  for (const std::string& folder : std::exchange(unsynced_, {})) {
    const Status synced = sync_whole_disk(folder);
    if (!synced.ok() && synced.code() != StatusCode::kNotFound) {  // not there: the folder was empty
      return synced;
    }
  }
  return ok_status();
}

Status Copies::copy(const ObjectAddress& from, const ObjectAddress& to, const ObjectStat& listed) {
  CopyOptions options;
  options.if_absent = options_.skips_existing || !options_.replaces;
  options.listed = listed;
  if (options_.copied) {
    FOREBAY_ASSIGN_OR_RETURN(options.listed, with_version(from, listed, context_));
    options.only_listed = true;
  }
  options.progress = [this](uint64_t bytes) { bytes_ += bytes; };
  const Result<ObjectStat> copied =
      marks_folder(listed) ? make_marker(to, context_) : copy_object(from, to, options, context_);
  if (copied.status().code() == StatusCode::kAlreadyExists && options_.skips_existing) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(copied.status());
  if (options_.copied) {
    options_.copied(*options.listed);
  }
  ++objects_;
  return ok_status();
}

void Copies::tell_progress() const {
  if (options_.progress) {
    options_.progress({.objects = objects(),
                       .bytes = bytes(),
                       .expected_bytes = std::max(expected_bytes_.load(), bytes())});
  }
}

}  // namespace forebay::storage
