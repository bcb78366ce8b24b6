// forebay index: makes the index of a data set once, so that every later start opens it instead of scanning.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "forebay/base/clock.h"
#include "forebay/cli/command.h"
#include "forebay/cli/indexing/index_sources.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/dataset/coco/coco_set.h"
#include "forebay/dataset/coco/preprocessed_set.h"
#include "forebay/dataset/index/text_index.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {
namespace {

/// What --as writes instead of an index of Forebay's.
enum class WrittenAs { kTfrecord2idx, kWds2idx, kRec2idx, kCoco };

struct IndexOptions {
  IndexRequest request;
  std::optional<WrittenAs> as;
  bool as_json = false;
};

/// Shows how far the scan is, on a terminal.
class ShownProgress {
 public:
  void operator()(const dataset::IndexProgress& progress) {
    const bool has_bytes = progress.bytes > 0;
    if (!bar_) {
      bar_.emplace("indexing", 0);
    }
    bar_->expect(has_bytes ? progress.bytes : progress.shards);
    bar_->show(has_bytes ? progress.bytes_done : progress.shards_done,
               fmt::format("{} samples", progress.samples_found));
  }

  /// Ends the bar's line.
  void end() { bar_.reset(); }

 private:
  std::optional<ProgressBar> bar_;
};

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

void print(const IndexOptions& options, const nlohmann::json& facts, const std::string& text) {
  if (options.as_json) {
    fmt::print("{}\n", facts.dump());
  } else {
    fmt::print("{}: {}\n", options.request.out, text);
  }
}

/// Writes what DALI's tool of that name writes.
Status write_text(const IndexOptions& options, dataset::TextIndexKind kind) {
  const IndexRequest& request = options.request;
  dataset::TextIndexesOptions indexes;
  indexes.paths = request.sources;
  indexes.kind = kind;
  indexes.index_file = request.out;
  indexes.progress = request.progress;
  FOREBAY_ASSIGN_OR_RETURN(const dataset::WrittenTextIndexes written, dataset::write_text_indexes(indexes));
  print(options, {{"index", request.out}, {"files", written.files}, {"bytes", written.bytes}},
        written.files == 1 ? fmt::format("{} bytes", written.bytes)
                           : fmt::format("{} files, {} bytes", written.files, written.bytes));
  return ok_status();
}

/// Writes what DALI's readers.coco saves.
Status write_annotations(const IndexOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(dataset::CocoSourceOptions coco, coco_options_of(options.request));
  coco.save_preprocessed_annotations = true;
  coco.save_preprocessed_annotations_dir = options.request.out;
  FOREBAY_RETURN_IF_ERROR(dataset::check(coco));
  FOREBAY_ASSIGN_OR_RETURN(const dataset::CocoSet set, dataset::read_coco_set(coco));
  FOREBAY_RETURN_IF_ERROR(dataset::save_preprocessed_set(set, coco));
  const size_t samples = set.images.size();
  print(options, {{"index", options.request.out}, {"samples", samples}}, fmt::format("{} samples", samples));
  return ok_status();
}

Status write_as(const IndexOptions& options) {
  switch (*options.as) {
    case WrittenAs::kCoco:
      return write_annotations(options);
    case WrittenAs::kTfrecord2idx:
      return write_text(options, dataset::TextIndexKind::kTfrecord2idx);
    case WrittenAs::kWds2idx:
      return write_text(options, dataset::TextIndexKind::kWds2idx);
    default:
      return write_text(options, dataset::TextIndexKind::kRec2idx);
  }
}

Status run_index(IndexOptions options) {
  IndexRequest& request = options.request;
  FOREBAY_RETURN_IF_ERROR(check_out(request.out));
  const auto progress = std::make_shared<ShownProgress>();
  request.progress = [progress](const dataset::IndexProgress& now) { (*progress)(now); };
  if (options.as) {
    return write_as(options);
  }
  const int64_t begin_ns = steady_clock().now_ns();
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<dataset::Source> source, make_source_of(request));
  const double seconds = static_cast<double>(steady_clock().now_ns() - begin_ns) * 1e-9;
  progress->end();
  print(options, {{"index", request.out}, {"samples", source->size()}, {"seconds", seconds}},
        fmt::format("{} samples, {:.2f} s", source->size(), seconds));
  return ok_status();
}

void add_kinds(CLI::App* command, IndexOptions& options) {
  const std::map<std::string, DataKind> kinds{{"files", DataKind::kFiles},       {"tar", DataKind::kTar},
                                              {"tfrecord", DataKind::kTfrecord}, {"rec", DataKind::kRecordIo},
                                              {"parquet", DataKind::kParquet},   {"mds", DataKind::kMds},
                                              {"coco", DataKind::kCoco},         {"lmdb", DataKind::kLmdb}};
  command->add_option("--kind", options.request.kind, "What the sources are, where their names do not tell")
      ->transform(CLI::CheckedTransformer(kinds));
  const std::map<std::string, WrittenAs> tools{{"tfrecord2idx", WrittenAs::kTfrecord2idx},
                                               {"wds2idx", WrittenAs::kWds2idx},
                                               {"rec2idx", WrittenAs::kRec2idx},
                                               {"coco", WrittenAs::kCoco}};
  command
      ->add_option(
          "--as", options.as,
          "Write the index as this tool of DALI's does, of several files each into the folder --out; "
          "or coco: the preprocessed annotations of readers.coco, into the folder --out")
      ->transform(CLI::CheckedTransformer(tools));
}

}  // namespace

void add_index(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("index", "Make the index of a data set, or check the one that is there");
  auto options = std::make_shared<IndexOptions>();
  IndexRequest& request = options->request;
  command
      ->add_option(
          "source", request.sources,
          "A folder of classes, a list of files; .tar, .tfrecord, .rec or .parquet files; index.json of "
          "MDS; LMDB databases; COCO's annotations (.json). Names of .tar and .tfrecord files may stand "
          "for several: s-{000..099}.tar, s-*.tar")
      ->required();
  command->add_option("--out", request.out, "The index to write; one that fits is left as it is")->required();
  command->add_option("--ext", request.extensions,
                      "For .tar: the extensions of one part of a sample, by ';'");
  command->add_option(
      "--from", request.from,
      "Index files of wds2idx, tfrecord2idx or rec2idx, one for each source, or the folder of "
      "COCO's preprocessed annotations: spare the scan");
  command->add_option("--root", request.root,
                      "For COCO: the folder of the pictures; else that of the annotations");
  command->add_option("--with", request.with,
                      "For COCO: an argument of readers.coco, as ltrb or size_threshold=2");
  add_kinds(command, *options);
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_index(*options); }; });
}

}  // namespace forebay::cli
