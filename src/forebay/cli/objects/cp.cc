// forebay cp: objects and folders from any store to any other.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/place.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/objects/work_queue.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/disk.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/tree/copy_object.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using storage::ObjectAddress;

struct CpOptions {
  std::vector<std::string> from;
  std::string to;
  bool is_recursive = false;
  bool keeps_existing = false;
  size_t jobs = 8;
  bool as_json = false;
};

/// The copies of one call of the command, some at a time.
class Copies {
 public:
  Copies(const CpOptions& options, storage::CallContext context)
      : options_(options),
        context_(std::move(context)),
        bar_("copying", 0),
        queue_(options.jobs, [this] { show(); }) {}

  Status add(ObjectAddress from, ObjectAddress to, const storage::ObjectStat& listed) {
    if (context_.cancellation.stop_requested()) {
      return storage::not_wanted(context_, from.uri());
    }
    expected_bytes_ += listed.size_bytes;
    return queue_.add(
        [this, from = std::move(from), to = std::move(to), listed] { return copy(from, to, listed); });
  }
  Status finish() {
    const Status status = queue_.finish();
    show();
    return status;
  }

  uint64_t objects() const { return objects_.load(); }
  uint64_t bytes() const { return bytes_.load(); }

 private:
  Status copy(const ObjectAddress& from, const ObjectAddress& to, const storage::ObjectStat& listed) {
    storage::CopyOptions options;
    options.listed = listed;
    options.if_absent = options_.keeps_existing;
    options.progress = [this](uint64_t bytes) { bytes_ += bytes; };
    const Result<storage::ObjectStat> copied = storage::copy_object(from, to, options, context_);
    if (copied.status().code() == StatusCode::kAlreadyExists && options_.keeps_existing) {
      return ok_status();
    }
    FOREBAY_RETURN_IF_ERROR(copied.status());
    ++objects_;
    return ok_status();
  }

  // The total grows as folders are listed.
  void show() {
    bar_.expect(std::max(expected_bytes_.load(), bytes()));
    bar_.show(bytes(), fmt::format("{} objects", objects()));
  }

  const CpOptions& options_;
  const storage::CallContext context_;
  std::atomic<uint64_t> expected_bytes_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> objects_{0};
  ProgressBar bar_;
  WorkQueue queue_;  // last: its threads end first
};

/// What is below a folder cannot be copied into that folder: it would never end.
Status check_apart(const Place& from, const ObjectAddress& to) {
  const std::string target = storage::as_folder_key(to.key);
  if (from.address.store == to.store && target.starts_with(from.folder_key())) {
    return invalid_argument("{} cannot be copied into itself", from.name);
  }
  return ok_status();
}

/// The local store without a sync for each file: of a folder, all of them are made durable together.
std::shared_ptr<storage::ObjectStore> store_for_many(const std::shared_ptr<storage::ObjectStore>& store) {
  static auto* const unsynced =
      new std::shared_ptr<storage::ObjectStore>(std::make_shared<storage::LocalStore>());
  return store == storage::LocalStore::process_store() ? *unsynced : store;
}

Status copy_folder(const Place& from, const ObjectAddress& to, Copies& copies,
                   const storage::CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(check_apart(from, to));
  const std::shared_ptr<storage::ObjectStore> source = store_for_many(from.address.store);
  const std::shared_ptr<storage::ObjectStore> sink = store_for_many(to.store);
  const std::string prefix = from.folder_key();
  const std::string target = storage::as_folder_key(to.key);
  const bool has_folders = sink->features().has_directories;
  const auto take = [&](const storage::ListPage& page) {
    for (const storage::ObjectStat& object : page.objects) {
      const std::string below = object.key.substr(prefix.size());
      if (has_folders && marks_folder(object)) {
        FOREBAY_RETURN_IF_ERROR(storage::make_directory_now(*sink, target + below, context));
        continue;
      }
      if (has_folders && !storage::stays_below(below)) {
        return invalid_argument("{}: no file below {} can have this name; rename the object first",
                                source->uri_of(object.key), sink->uri_of(target));
      }
      FOREBAY_RETURN_IF_ERROR(copies.add({source, object.key}, {sink, target + below}, object));
    }
    return ok_status();
  };
  return storage::list_pages_now(*from.address.store, {.prefix = prefix}, take, context);
}

/// What was copied as a folder is not durable yet where it went to local files.
Status make_durable(const CpOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectAddress to, resolve(options.to));
  if (!options.is_recursive || to.store != storage::LocalStore::process_store()) {
    return ok_status();
  }
  const Status synced = storage::sync_whole_disk(to.key);
  return synced.code() == StatusCode::kNotFound ? ok_status() : synced;  // the folder was empty
}

/// Into a folder that is there, or is named as one, under its own name; else as what the target says.
Result<ObjectAddress> target_of(const CpOptions& options, const Place& from) {
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress to, resolve(options.to));
  const Result<storage::Entry> there = storage::find_entry(*to.store, to.key);
  const bool is_folder = options.to.ends_with('/') || (there.ok() && there->is_folder);
  if (!is_folder) {
    const bool is_single = options.from.size() == 1;
    return is_single ? Result<ObjectAddress>(std::move(to))
                     : invalid_argument(
                           "{} is not a folder, so only one thing can be copied there; end it "
                           "with / to make it a folder",
                           options.to);
  }
  const std::string name = last_name(from.name);
  if (name.empty() || name == "." || name == "..") {
    return invalid_argument("{} has no name that it could have in {}", from.name, options.to);
  }
  return resolve((options.to.ends_with('/') ? options.to : options.to + "/") + name);
}

Status copy_one(const std::string& name, const CpOptions& options, Copies& copies,
                const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const Place from, find_place(name, context));
  FOREBAY_ASSIGN_OR_RETURN(ObjectAddress to, target_of(options, from));
  if (!from.entry.is_folder) {
    return copies.add(from.address, std::move(to), from.entry.stat);
  }
  if (!options.is_recursive) {
    return invalid_argument("{} is a folder; cp -r copies folders", name);
  }
  return copy_folder(from, to, copies, context);
}

Status run_cp(const CpOptions& options) {
  const StopOnSignal stop;
  const storage::CallContext context{.cancellation = stop.token()};
  Copies copies(options, context);
  Status status;
  for (const std::string& name : options.from) {
    status = status.ok() ? copy_one(name, options, copies, context) : status;
  }
  const Status finished = copies.finish();
  FOREBAY_RETURN_IF_ERROR(status.ok() ? finished : status);
  FOREBAY_RETURN_IF_ERROR(make_durable(options));
  if (options.as_json) {
    const nlohmann::json facts = {{"objects", copies.objects()}, {"bytes", copies.bytes()}};
    fmt::print("{}\n", json_line(facts));
  }
  return ok_status();
}

}  // namespace

void add_cp(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cp", "Copy objects and folders between any stores");
  auto options = std::make_shared<CpOptions>();
  command
      ->add_option("path", options->from,
                   "What is copied, and last where to: an object, or a folder, which ends with / if new")
      ->required()
      ->expected(2, -1);
  command->add_flag("-r,--recursive", options->is_recursive, "Copy folders with all that is below");
  command->add_flag("-n,--no-clobber", options->keeps_existing, "Leave objects that exist as they are");
  command->add_option("-j,--jobs", options->jobs, "Objects that are copied at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print how much was copied in JSON");
  command->callback([&invocation, options] {
    options->to = options->from.back();
    options->from.pop_back();
    invocation.run = [options] { return run_cp(*options); };
  });
}

}  // namespace forebay::cli
