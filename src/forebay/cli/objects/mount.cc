// forebay mount: puts a store at a path of the namespace; alone, lists what is mounted.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/command/size_text.h"
#include "forebay/cli/objects/mount_words.h"
#include "forebay/storage/listing/name_view.h"
#include "forebay/storage/namespace/mount_database.h"

namespace forebay::cli {
namespace {

using storage::MountEntry;

constexpr size_t kMaxOptionLines = 64;
const std::string kOnlyNames =
    "A mount only maps names: Forebay's readers, commands and fsspec find the store at the path. "
    "The operating system mounts nothing, and other programs see no files there; `forebay fuse` is for "
    "those.\n\n";

struct MountOptions {
  std::string path;
  std::string uri;
  std::vector<std::string> options;
  std::string option_file;
  MountEntry entry;
  bool as_json = false;
};

nlohmann::json json_of_mount(const MountEntry& entry) {
  nlohmann::json json = {{"options", nlohmann::json::object()}};
  put_name(json, "path", entry.path);
  put_name(json, "uri", entry.uri);
  for (const auto& [name, value] : storage::shown_options(entry, storage::default_registry())) {
    json["options"][name] = value;
  }
  json["read_only"] = entry.read_only;
  json["immutable"] = entry.immutable;
  if (!entry.snapshot.empty()) {
    put_name(json, "snapshot", entry.snapshot);
  }
  json["bytes_per_s"] = entry.bytes_per_s;
  json["requests_per_s"] = entry.requests_per_s;
  json["write_back_bytes"] = entry.write_back_bytes;
  return json;
}

std::string text_of_mount(const MountEntry& entry) {
  std::string text = fmt::format("{}  {}", entry.path, entry.uri);
  for (const auto& [name, value] : storage::shown_options(entry, storage::default_registry())) {
    text += fmt::format("  {}={}", name, value);
  }
  text += entry.read_only ? "  read-only" : "";
  text += entry.immutable ? "  immutable" : "";
  text += entry.snapshot.empty() ? "" : "  snapshot " + entry.snapshot;
  if (entry.bytes_per_s > 0) {
    text += fmt::format("  {} bytes/s", entry.bytes_per_s);
  }
  if (entry.requests_per_s > 0) {
    text += fmt::format("  {} requests/s", entry.requests_per_s);
  }
  if (entry.write_back_bytes > 0) {
    text += fmt::format("  written back, {} may wait", size_text(entry.write_back_bytes));
  }
  return text + "\n";
}

Status list_mounts(bool as_json) {
  storage::MountDatabase database(storage::process_mounts());
  FOREBAY_ASSIGN_OR_RETURN(const storage::MountTableRef table, database.table());
  Output output;
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [path, entry] : table->entries()) {
    if (as_json) {
      all.push_back(json_of_mount(entry));
    } else {
      output.print(text_of_mount(entry));
    }
  }
  if (as_json) {
    output.print(json_line(all) + "\n");
  }
  return output.flush();
}

/// The lines of a file of options; "-" is standard input.
Result<std::vector<std::string>> read_option_file(const std::string& name) {
  std::ifstream file;
  if (name != "-") {
    file.open(name);
    if (!file) {
      return not_found("{}: the file of options cannot be read", name);
    }
  }
  std::istream& lines = name == "-" ? std::cin : file;
  std::vector<std::string> options;
  for (std::string line; std::getline(lines, line);) {
    if (options.size() == kMaxOptionLines) {
      return invalid_argument("{}: more than {} options", name, kMaxOptionLines);
    }
    if (!line.empty() && !line.starts_with('#')) {
      options.push_back(line);
    }
  }
  return options;
}

/// Names the file as other processes find it, and looks whether it is a snapshot.
Status take_snapshot(MountEntry& entry) {
  std::error_code error;
  entry.snapshot = std::filesystem::absolute(entry.snapshot, error).string();
  entry.read_only = true;
  const Result<std::shared_ptr<const storage::NameView>> view = storage::NameView::open(entry.snapshot);
  return view.status().code() == StatusCode::kNotFound
             ? not_found("{}: there is no such snapshot; `forebay snapshot {} {}` makes it", entry.snapshot,
                         entry.uri, entry.snapshot)
             : view.status();
}

Result<MountEntry> entry_of(const MountOptions& options) {
  MountEntry entry = options.entry;
  FOREBAY_ASSIGN_OR_RETURN(entry.path, storage::namespace_path(options.path));
  FOREBAY_ASSIGN_OR_RETURN(entry.uri, mount_uri(options.uri));
  FOREBAY_RETURN_IF_ERROR(take_options(options.options, OptionsFrom::kCommandLine, entry));
  if (!options.option_file.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> lines, read_option_file(options.option_file));
    FOREBAY_RETURN_IF_ERROR(take_options(lines, OptionsFrom::kFile, entry));
  }
  if (!entry.snapshot.empty()) {
    FOREBAY_RETURN_IF_ERROR(take_snapshot(entry));
  }
  FOREBAY_RETURN_IF_ERROR(storage::check_entry(entry));
  FOREBAY_RETURN_IF_ERROR(storage::check_store(entry, storage::default_registry()));
  return entry;
}

Status run_mount(const MountOptions& options) {
  if (options.path.empty()) {
    return list_mounts(options.as_json);
  }
  if (options.uri.empty()) {
    return invalid_argument("{}: what is to be mounted there? Give a URI, or a local folder", options.path);
  }
  FOREBAY_ASSIGN_OR_RETURN(MountEntry entry, entry_of(options));
  return storage::MountDatabase(storage::process_mounts()).add(std::move(entry));
}

}  // namespace

void add_mount(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("mount", "Give a store a path in Forebay's names; without arguments, list them");
  command->footer([] { return kOnlyNames + options_text(storage::default_registry()); });
  auto options = std::make_shared<MountOptions>();
  command->add_option("path", options->path, "Where, as in /data/train");
  command->add_option("uri", options->uri, "What, as in mem://name or file:///folder");
  command->add_option("--option", options->options, "An option of the store, NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--option-file", options->option_file,
                      "A file with a line NAME=VALUE for each option, for secrets; - is standard input");
  command->add_flag("--read-only", options->entry.read_only, "Refuse all changes");
  command->add_flag("--immutable", options->entry.immutable,
                    "Objects never change: caches need not look again, and nothing is replaced or removed");
  command->add_option(
      "--snapshot", options->entry.snapshot,
      "Names, sizes and versions are those of this file, which `forebay snapshot` makes; read-only");
  command->add_option("--rate-limit", options->entry.bytes_per_s, "Most bytes a second (100MiB, say)")
      ->transform(CLI::AsSizeValue(false));
  command
      ->add_flag(
          "--write-back{10GiB}", options->entry.write_back_bytes,
          "Acknowledge what is written once it is in the journal of the host's daemon, which stores it; "
          "as --write-back=BYTES, so much may wait")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--request-limit", options->entry.requests_per_s, "Most requests a second");
  command->add_flag("--json", options->as_json, "List the mounts in JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_mount(*options); }; });
}

}  // namespace forebay::cli
