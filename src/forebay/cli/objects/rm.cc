// forebay rm: removes objects, and folders with all that is below them.
#include <fmt/core.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/cli/command.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/place.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/objects/work_queue.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {
namespace {

using storage::ObjectStore;

struct RmOptions {
  std::vector<std::string> names;
  bool is_recursive = false;
  bool may_be_absent = false;
  size_t jobs = 8;
  bool as_json = false;
};

std::string without_slash_at_end(std::string key) {
  while (key.size() > 1 && key.ends_with('/')) {
    key.pop_back();
  }
  return key;
}

/// Whether the key names a symbolic link of the file system, which is removed itself, not what it leads to.
bool is_link(const ObjectStore& store, const std::string& key) {
  const std::optional<std::string> path = store.local_file(without_slash_at_end(key));
  struct stat status {};
  return path && ::lstat(path->c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// Removes the objects of one listing at a time, in parallel, and then the folders.
class Removal {
 public:
  Removal(const RmOptions& options, storage::CallContext context)
      : context_(std::move(context)), jobs_(options.jobs), bar_("removing", 0) {}

  Status remove(ObjectStore& store, const std::string& key) {
    FOREBAY_RETURN_IF_ERROR(remove_now(store, key, context_));
    ++count_;
    return ok_status();
  }

  /// A folder's objects; where the store has directories, then those, from the bottom up.
  Status remove_folder(ObjectStore& store, const std::string& folder) {
    if (is_link(store, folder)) {
      return remove(store, without_slash_at_end(folder));
    }
    const bool has_directories = store.features().has_directories;
    storage::ListRequest request = {
        .prefix = folder, .delimiter = has_directories ? "/" : "", .names_only = true};
    FOREBAY_RETURN_IF_ERROR(storage::list_pages_now(
        store, request,
        [&](const storage::ListPage& page) {
          FOREBAY_RETURN_IF_ERROR(remove_objects(store, page));
          for (const std::string& below : page.prefixes) {
            FOREBAY_RETURN_IF_ERROR(remove_folder(store, below));
          }
          return ok_status();
        },
        context_));
    return has_directories ? remove_now(store, folder, context_) : ok_status();
  }

  uint64_t count() const { return count_.load(); }

 private:
  Status remove_objects(ObjectStore& store, const storage::ListPage& page) {
    WorkQueue queue(std::min(jobs_, page.objects.size()), [this] { show(); });
    for (const storage::ObjectStat& object : page.objects) {
      FOREBAY_RETURN_IF_ERROR(queue.add([&] { return remove(store, object.key); }));
    }
    return queue.finish();
  }

  void show() {
    bar_.expect(count() + 1);
    bar_.show(count(), fmt::format("{} objects", count()));
  }

  const storage::CallContext context_;
  const size_t jobs_;
  std::atomic<uint64_t> count_{0};
  ProgressBar bar_;
};

Status remove_named(const std::string& name, const RmOptions& options, Removal& removal,
                    const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, resolve(name));
  if (is_link(*address.store, address.key)) {
    return removal.remove(*address.store, without_slash_at_end(address.key));
  }
  const Result<Place> place = find_place(name, context);
  if (!place.ok()) {
    const bool is_fine = options.may_be_absent && place.status().code() == StatusCode::kNotFound;
    return is_fine ? ok_status() : place.status();
  }
  if (!place->entry.is_folder) {
    return removal.remove(*address.store, address.key);
  }
  if (!options.is_recursive) {
    return invalid_argument("{} is a folder; rm -r removes folders with all that is below them", name);
  }
  FOREBAY_RETURN_IF_ERROR(storage::default_registry().check_no_mount(name, "removed"));
  return removal.remove_folder(*address.store, place->folder_key());
}

Status run_rm(const RmOptions& options) {
  const StopOnSignal stop;
  const storage::CallContext context{.cancellation = stop.token()};
  Removal removal(options, context);
  for (const std::string& name : options.names) {
    FOREBAY_RETURN_IF_ERROR(remove_named(name, options, removal, context));
  }
  if (options.as_json) {
    fmt::print("{}\n", json_line({{"objects", removal.count()}}));
  }
  return ok_status();
}

}  // namespace

void add_rm(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("rm", "Remove objects and folders of any store");
  auto options = std::make_shared<RmOptions>();
  command->add_option("path", options->names, "Paths or URIs")->required();
  command->add_flag("-r,--recursive", options->is_recursive, "Remove folders with all that is below them");
  command->add_flag("-f,--force", options->may_be_absent, "What does not exist is no error");
  command->add_option("-j,--jobs", options->jobs, "Objects that are removed at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print how many were removed in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_rm(*options); }; });
}

}  // namespace forebay::cli
