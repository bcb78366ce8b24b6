// forebay index: makes the index of a data set once, so that every later start opens it instead of scanning.
#include <fmt/core.h>

#include <algorithm>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/base/clock.h"
#include "forebay/cli/command.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {
namespace {

struct IndexOptions {
  std::vector<std::string> sources;
  std::string out;
  std::vector<std::string> extensions;
  bool as_json = false;
};

bool all_end_with(const std::vector<std::string>& names, std::string_view suffix) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.ends_with(suffix); });
}

Result<std::shared_ptr<dataset::Source>> make_tar_source(const IndexOptions& options) {
  if (options.extensions.empty()) {
    return invalid_argument(
        "tar archives need --ext, once for each part of a sample: --ext 'jpg;png' --ext cls");
  }
  dataset::WebdatasetOptions source;
  source.paths = options.sources;
  source.ext = options.extensions;
  source.index_file = options.out;
  return dataset::make_webdataset_source(source);
}

Result<std::shared_ptr<dataset::Source>> make_source(const IndexOptions& options) {
  if (all_end_with(options.sources, ".tar")) {
    return make_tar_source(options);
  }
  if (all_end_with(options.sources, ".tfrecord")) {
    dataset::TfrecordOptions source;
    source.path = options.sources;
    source.index_file = options.out;
    return dataset::make_tfrecord_source(source);
  }
  if (options.sources.size() != 1) {
    return invalid_argument("several sources must all be .tar or all .tfrecord");
  }
  dataset::FileSourceOptions source;
  source.index_file = options.out;
  const bool is_folder =
      std::filesystem::is_directory(options.sources[0]) || options.sources[0].ends_with("/");
  (is_folder ? source.file_root : source.file_list) = options.sources[0];
  return dataset::make_file_source(source);
}

/// An index goes into a folder that is there: one misspelt is not made.
Status check_out(const std::string& out) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, storage::default_registry().resolve(out));
  const std::optional<std::string> path = address.store->local_file(address.key);
  if (!path) {
    return ok_status();
  }
  const std::filesystem::path folder = std::filesystem::absolute(*path).parent_path();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return not_found("{}: there is no folder {}", out, folder.string());
  }
  return ok_status();
}

Status run_index(const IndexOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_out(options.out));
  const int64_t begin_ns = steady_clock().now_ns();
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<dataset::Source> source, make_source(options));
  const double seconds = static_cast<double>(steady_clock().now_ns() - begin_ns) * 1e-9;
  if (options.as_json) {
    const nlohmann::json facts = {{"index", options.out}, {"samples", source->size()}, {"seconds", seconds}};
    fmt::print("{}\n", facts.dump());
    return ok_status();
  }
  fmt::print("{}: {} samples, {:.2f} s\n", options.out, source->size(), seconds);
  return ok_status();
}

}  // namespace

void add_index(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("index", "Make the index of a data set, or check the one that is there");
  auto options = std::make_shared<IndexOptions>();
  command
      ->add_option("source", options->sources,
                   "A folder of classes, a list of files, .tar or .tfrecord files")
      ->required();
  command->add_option("--out", options->out, "The index to write; one that fits is left as it is")
      ->required();
  command->add_option("--ext", options->extensions,
                      "For .tar: the extensions of one part of a sample, by ';'");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_index(*options); }; });
}

}  // namespace forebay::cli
