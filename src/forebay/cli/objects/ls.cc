// forebay ls: what lies in a folder, page by page, so that ten million entries take no more memory than ten.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/listed_order.h"

namespace forebay::cli {
namespace {

using storage::ListPage;
using storage::ObjectStat;

struct LsOptions {
  std::vector<std::string> names = {"."};
  bool is_long = false;
  bool is_recursive = false;
  bool as_json = false;
};

/// Prints entries; as JSON they are one list.
class EntryPrinter {
 public:
  explicit EntryPrinter(const LsOptions& options) : options_(options) {}

  void print(std::string_view name, bool is_folder, const ObjectStat& stat) {
    if (options_.as_json) {
      output_.print((count_ == 0 ? "[" : ",\n ") + json_line(entry_json(name, is_folder, stat)));
    } else if (options_.is_long && is_folder) {
      output_.print(fmt::format("{:>14}  {:16}  {}\n", "-", time_text(stat.modified_ns), name));
    } else if (options_.is_long) {
      output_.print(fmt::format("{:>14}  {:16}  {}\n", stat.size_bytes, time_text(stat.modified_ns), name));
    } else {
      output_.print(fmt::format("{}\n", name));
    }
    ++count_;
  }
  void print_heading(std::string_view name) {
    output_.print(fmt::format("{}{}:\n", count_ == 0 ? "" : "\n", name));
  }

  bool is_closed() const { return output_.is_closed(); }
  Status finish() {
    if (options_.as_json) {
      output_.print(count_ == 0 ? "[]\n" : "]\n");
    }
    return output_.flush();
  }

 private:
  const LsOptions& options_;
  Output output_;
  uint64_t count_ = 0;
};

/// The page's objects and folders. Names begin behind `start` bytes of the keys.
void print_page(const ListPage& page, size_t start, EntryPrinter& printer) {
  const auto print_folder = [&](const std::string& key) {
    printer.print(std::string_view(key).substr(start), true, {});
  };
  const auto print_object = [&](const ObjectStat& stat) {
    if (!marks_folder(stat)) {
      printer.print(std::string_view(stat.key).substr(start), false, stat);
    }
  };
  storage::for_each_in_order(page, print_folder, print_object);
}

Status list_folder(const Place& place, const LsOptions& options, EntryPrinter& printer) {
  storage::ListRequest request;
  request.prefix = place.folder_key();
  request.delimiter = options.is_recursive ? "" : "/";
  request.names_only = !options.is_long && !options.as_json;
  const Status listed = storage::list_pages_now(*place.address.store, request, [&](const ListPage& page) {
    print_page(page, request.prefix.size(), printer);
    return printer.is_closed() ? cancelled("nobody reads on") : ok_status();
  });
  return printer.is_closed() ? ok_status() : listed;
}

Status run_ls(const LsOptions& options) {
  EntryPrinter printer(options);
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const Place place, find_place(name));
    if (!place.entry.is_folder) {
      printer.print(place.name, false, place.entry.stat);
      continue;
    }
    if (options.names.size() > 1 && !options.as_json) {
      printer.print_heading(place.name);
    }
    FOREBAY_RETURN_IF_ERROR(list_folder(place, options, printer));
  }
  return printer.finish();
}

}  // namespace

void add_ls(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("ls", "List folders and objects of any store");
  auto options = std::make_shared<LsOptions>();
  command->add_option("path", options->names, "Paths or URIs; without one, the current folder");
  command->add_flag("-l,--long", options->is_long, "With sizes and times");
  command->add_flag("-R,--recursive", options->is_recursive, "Everything below, without the folders");
  command->add_flag("--json", options->as_json, "Print a list in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_ls(*options); }; });
}

}  // namespace forebay::cli
