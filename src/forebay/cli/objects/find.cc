// forebay find: names, sizes and times of everything below a folder, listed by several streams at once and
// printed as they come, so that ten million objects take no more memory than ten.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/objects/find_filter.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/listing/parallel_list.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::cli {
namespace {

using storage::ListPage;
using storage::ObjectStat;

struct FindOptions {
  std::vector<std::string> names = {"."};
  std::string pattern;
  std::string size;
  std::string newer;
  std::string type = "f";
  bool ends_in_nul = false;
  bool as_json = false;
  bool is_fast = false;

  bool finds_folders() const { return type == "d"; }
};

/// Prints what fits.
class Finder {
 public:
  Finder(const FindOptions& options, const FindFilter& filter) : options_(options), filter_(filter) {}

  Status find_below(const Place& place, const storage::CallContext& context) {
    const std::string folder = place.folder_key();
    const std::string name = storage::as_folder_key(place.name);
    const storage::ParallelListOptions listing = {.prefix = folder,
                                                  .spare_pages = options_.is_fast ? size_t{32} : size_t{0},
                                                  .names_only = !options_.as_json && !filter_.needs_stat(),
                                                  .with_folders = options_.finds_folders()};
    const auto take = [&](const ListPage& page) {
      take_page(page, name, folder.size());
      return output_.is_closed() ? cancelled("nobody reads on") : ok_status();
    };
    const Status listed = storage::parallel_list(*place.address.store, listing, take, context);
    return output_.is_closed() ? ok_status() : listed;
  }

  void take_object(const std::string& name, const ObjectStat& object) {
    if (!options_.finds_folders() && filter_.fits(object)) {
      print(name, false, object);
    }
  }

  Status finish() {
    if (options_.as_json) {
      output_.print(count_ == 0 ? "[]\n" : "]\n");
    }
    return output_.flush();
  }

 private:
  /// Names begin behind `start` bytes of the keys.
  void take_page(const ListPage& page, const std::string& name, size_t start) {
    for (const ObjectStat& object : page.objects) {
      if (!marks_folder(object)) {
        take_object(name + object.key.substr(start), object);
      }
    }
    for (const std::string& folder : page.prefixes) {
      if (options_.finds_folders() && filter_.fits_name(folder)) {
        print(name + folder.substr(start), true, {});
      }
    }
  }

  void print(const std::string& name, bool is_folder, const ObjectStat& object) {
    if (options_.as_json) {
      output_.print((count_ == 0 ? "[" : ",\n ") + json_line(entry_json(name, is_folder, object)));
    } else {
      output_.print(name);
      output_.print(options_.ends_in_nul ? std::string_view("\0", 1) : "\n");
    }
    ++count_;
  }

  const FindOptions& options_;
  const FindFilter& filter_;
  Output output_;
  uint64_t count_ = 0;
};

Result<FindFilter> filter_of(const FindOptions& options) {
  FindFilter filter;
  filter.name = options.pattern;
  if (!options.size.empty()) {
    FOREBAY_RETURN_IF_ERROR(take_size(options.size, filter));
  }
  if (!options.newer.empty()) {
    FOREBAY_RETURN_IF_ERROR(take_newer(options.newer, storage::wall_clock_seconds() * 1'000'000'000, filter));
  }
  if (options.finds_folders() && filter.needs_stat()) {
    return invalid_argument("folders have no size and no time to ask for; leave --type d or the others out");
  }
  return filter;
}

Status run_find(const FindOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const FindFilter filter, filter_of(options));
  const StopOnSignal stop;
  const storage::CallContext context = {.cancellation = stop.token()};
  Finder finder(options, filter);
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const Place place, find_place(name, context));
    if (place.entry.is_folder) {
      FOREBAY_RETURN_IF_ERROR(finder.find_below(place, context));
    } else {
      finder.take_object(place.name, place.entry.stat);
    }
  }
  return finder.finish();
}

}  // namespace

void add_find(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("find", "Find objects below folders of any store, in no order, as they come");
  auto options = std::make_shared<FindOptions>();
  command->add_option("path", options->names, "Paths or URIs; without one, the current folder");
  command->add_option("--name", options->pattern, "A pattern for the last part of the name, as in '*.jpg'");
  command->add_option("--size", options->size, "+10M: larger, -10M: smaller, 4096: exactly");
  command->add_option("--newer", options->newer, "2h: changed in the last two hours; 2026-11-23: since then");
  command->add_option("--type", options->type, "f: objects; d: folders, which takes a listing of each")
      ->check(CLI::IsMember({"f", "d"}));
  command->add_flag("-0,--print0", options->ends_in_nul, "End names with a NUL instead of a line");
  command->add_flag("--json", options->as_json, "Print a list in JSON");
  command->add_flag(
      "--fast", options->is_fast,
      "Ask for up to 32 pages more than names and folders make, so that a flat listing is divided, too");
  command->callback([&invocation, options] { invocation.run = [options] { return run_find(*options); }; });
}

}  // namespace forebay::cli
