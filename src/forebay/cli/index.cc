// forebay index: makes the index of a data set once, so that every later start opens it instead of scanning.
#include <fmt/core.h>

#include <algorithm>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/base/clock.h"
#include "forebay/cli/command.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/dataset/compression/compressed_file.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/index/text_index.h"
#include "forebay/dataset/mds/mds_source.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/parquet/parquet_source.h"
#include "forebay/dataset/recordio/recordio_source.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/store_registry.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

struct IndexOptions {
  std::vector<std::string> sources;
  std::string out;
  std::vector<std::string> extensions;
  std::vector<std::string> from;
  std::optional<dataset::TextIndexKind> as;
  bool as_json = false;
};

constexpr std::string_view kMdsIndex = "index.json";

bool all_end_with(const std::vector<std::string>& names, std::string_view suffix) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.ends_with(suffix); });
}

/// Shows how far the scan of shards is, on a terminal.
class ShownProgress {
 public:
  explicit ShownProgress(const std::string& out) : out_(out) {}

  void operator()(const dataset::IndexProgress& progress) {
    if (!bar_) {
      bar_.emplace(out_, progress.shards);
    }
    bar_->show(progress.shards_done, fmt::format("{} samples", progress.samples));
  }

 private:
  const std::string out_;
  std::optional<ProgressBar> bar_;
};

std::function<void(const dataset::IndexProgress&)> shown(const std::string& out) {
  return [progress = std::make_shared<ShownProgress>(out)](const dataset::IndexProgress& now) {
    (*progress)(now);
  };
}

Result<std::shared_ptr<dataset::Source>> make_tar_source(const IndexOptions& options) {
  if (options.extensions.empty()) {
    return invalid_argument(
        "tar archives need --ext, once for each part of a sample: --ext 'jpg;png' --ext cls");
  }
  dataset::WebdatasetOptions source;
  source.paths = options.sources;
  source.index_paths = options.from;
  source.ext = options.extensions;
  source.index_file = options.out;
  source.progress = shown(options.out);
  return dataset::make_webdataset_source(source);
}

/// Of Parquet files and MDS shards: the index is the same for all columns.
template <class Options, class Make>
Result<std::shared_ptr<dataset::Source>> make_column_source(const IndexOptions& options, Options source,
                                                            const Make& make) {
  if (!options.from.empty()) {
    return invalid_argument("--from goes with .tar, .tfrecord and .rec files");
  }
  source.index_file = options.out;
  source.progress = shown(options.out);
  return make(source);
}

/// Whether a name is that of a folder, in whatever store it lies. A file of another kind than those that are
/// told by their names is a list of files, so invalid_argument if it is compressed.
Result<bool> names_folder(const std::string& source) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, storage::default_registry().resolve(source));
  if (storage::default_registry().is_above_mounts(source)) {
    return true;
  }
  const Result<storage::Entry> entry = storage::find_entry(*address.store, address.key);
  FOREBAY_RETURN_IF_ERROR(annotate(entry.status(), storage::uri_for_message(source)));
  if (!entry->is_folder) {
    const dataset::ObjectByteSource file(address, entry->stat);
    FOREBAY_RETURN_IF_ERROR(dataset::check_not_compressed(file, storage::uri_for_message(source)));
  }
  return entry->is_folder;
}

Result<std::shared_ptr<dataset::Source>> make_source(const IndexOptions& options) {
  if (all_end_with(options.sources, ".tar")) {
    return make_tar_source(options);
  }
  if (all_end_with(options.sources, ".tfrecord")) {
    dataset::TfrecordOptions source;
    source.path = options.sources;
    source.index_path = options.from;
    source.index_file = options.out;
    source.progress = shown(options.out);
    return dataset::make_tfrecord_source(source);
  }
  if (all_end_with(options.sources, ".rec")) {
    dataset::RecordIoOptions source;
    source.path = options.sources;
    source.index_path = options.from;
    source.index_file = options.out;
    source.progress = shown(options.out);
    return dataset::make_recordio_source(source);
  }
  if (all_end_with(options.sources, ".parquet")) {
    dataset::ParquetOptions source;
    source.path = options.sources;
    return make_column_source(options, std::move(source), dataset::make_parquet_source);
  }
  if (all_end_with(options.sources, "/" + std::string(kMdsIndex))) {
    dataset::MdsOptions source;
    for (const std::string& path : options.sources) {
      source.path.push_back(path.substr(0, path.size() - kMdsIndex.size() - 1));
    }
    return make_column_source(options, std::move(source), dataset::make_mds_source);
  }
  if (!options.from.empty()) {
    return invalid_argument("--from goes with .tar, .tfrecord and .rec files");
  }
  if (options.sources.size() != 1) {
    return invalid_argument(
        "several sources must all be .tar, .tfrecord, .rec or .parquet files, or all index.json of MDS");
  }
  dataset::FileSourceOptions source;
  source.index_file = options.out;
  FOREBAY_ASSIGN_OR_RETURN(const bool has_files, names_folder(options.sources[0]));
  (has_files ? source.file_root : source.file_list) = options.sources[0];
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

/// Writes what DALI's tool of that name writes.
Status write_text_index(const IndexOptions& options) {
  if (options.sources.size() != 1) {
    return invalid_argument("--as makes the index of one file");
  }
  const storage::StoreRegistry& registry = storage::default_registry();
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress file, registry.resolve(options.sources[0]));
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, dataset::make_text_index(file, *options.as));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress out, registry.resolve(options.out));
  FOREBAY_RETURN_IF_ERROR(storage::write_now(*out.store, out.key, std::as_bytes(std::span(text))).status());
  if (options.as_json) {
    fmt::print("{}\n", nlohmann::json({{"index", options.out}, {"bytes", text.size()}}).dump());
  } else {
    fmt::print("{}: {} bytes\n", options.out, text.size());
  }
  return ok_status();
}

Status run_index(const IndexOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_out(options.out));
  if (options.as) {
    return write_text_index(options);
  }
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
                   "A folder of classes, a list of files; .tar, .tfrecord, .rec or .parquet files; "
                   "index.json of MDS. Names of .tar and .tfrecord files may stand for several: "
                   "s-{000..099}.tar, s-*.tar")
      ->required();
  command->add_option("--out", options->out, "The index to write; one that fits is left as it is")
      ->required();
  command->add_option("--ext", options->extensions,
                      "For .tar: the extensions of one part of a sample, by ';'");
  command->add_option("--from", options->from,
                      "Index files of wds2idx, tfrecord2idx or rec2idx, one for each source: spare the scan");
  const std::map<std::string, dataset::TextIndexKind> kinds{
      {"tfrecord2idx", dataset::TextIndexKind::kTfrecord2idx},
      {"wds2idx", dataset::TextIndexKind::kWds2idx},
      {"rec2idx", dataset::TextIndexKind::kRec2idx}};
  command->add_option("--as", options->as, "Write the index of one file as this tool of DALI's does")
      ->transform(CLI::CheckedTransformer(kinds));
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_index(*options); }; });
}

}  // namespace forebay::cli
