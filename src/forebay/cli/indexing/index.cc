// forebay index: makes the index of a data set once, so that every later start opens it instead of scanning.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/indexing/index_sources.h"
#include "forebay/dataset/coco/coco_set.h"
#include "forebay/dataset/coco/preprocessed_set.h"
#include "forebay/dataset/text_indexes/text_index.h"
#include "forebay/storage/stores/store_registry.h"

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

/// An index goes into a folder that is there: one misspelt is not made. What is there already fits, or is
/// refused before anything is read.
Status check_out(const IndexOptions& options) {
  const std::string& out = options.request.out;
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, storage::default_registry().resolve(out));
  std::optional<std::string> path = address.store->local_file(address.key);
  if (!path) {
    return ok_status();
  }
  while (options.as && path->size() > 1 && path->ends_with('/')) {
    path->pop_back();
  }
  const std::filesystem::path place = std::filesystem::absolute(*path);
  std::error_code error;
  if (!std::filesystem::is_directory(place.parent_path(), error)) {
    return not_found("{}: there is no folder {}", out, place.parent_path().string());
  }
  const bool is_folder = std::filesystem::is_directory(place, error);
  if (is_folder && !options.as) {
    return invalid_argument("{} is a folder; --out names the index's file", out);
  }
  if (!is_folder && options.as == WrittenAs::kCoco && std::filesystem::exists(place, error)) {
    return invalid_argument("{} is a file; preprocessed annotations go to a folder", out);
  }
  return ok_status();
}

/// Options that would change nothing are refused.
Status check_as(const IndexOptions& options) {
  if (!options.as) {
    return ok_status();
  }
  const IndexRequest& request = options.request;
  const bool is_coco = options.as == WrittenAs::kCoco;
  const std::pair<const char*, bool> unused[] = {{"--from", !request.from.empty()},
                                                 {"--ext", !request.extensions.empty()},
                                                 {"--kind", request.kind.has_value()},
                                                 {"--root", !is_coco && !request.root.empty()},
                                                 {"--with", !is_coco && !request.with.empty()}};
  for (const auto& [name, is_given] : unused) {
    if (is_given) {
      return invalid_argument("{} does not go with --as, which says itself what is read and written", name);
    }
  }
  return ok_status();
}

/// What was made, for programs and for people.
struct MadeIndex {
  nlohmann::json facts;
  std::string text;
};

/// Writes what DALI's tool of that name writes.
Result<MadeIndex> write_text(const IndexRequest& request, dataset::TextIndexKind kind) {
  dataset::TextIndexesOptions indexes;
  indexes.paths = request.sources;
  indexes.kind = kind;
  indexes.index_file = request.out;
  indexes.progress = request.progress;
  FOREBAY_ASSIGN_OR_RETURN(const dataset::WrittenTextIndexes written, dataset::write_text_indexes(indexes));
  return MadeIndex{{{"index", request.out}, {"files", written.files}, {"bytes", written.bytes}},
                   written.files == 1 ? fmt::format("{} bytes", written.bytes)
                                      : fmt::format("{} files, {} bytes", written.files, written.bytes)};
}

/// Writes what DALI's readers.coco saves.
Result<MadeIndex> write_annotations(const IndexRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(dataset::CocoSourceOptions coco, coco_options_of(request));
  coco.save_preprocessed_annotations = true;
  coco.save_preprocessed_annotations_dir = request.out;
  FOREBAY_RETURN_IF_ERROR(dataset::check(coco));
  FOREBAY_ASSIGN_OR_RETURN(const dataset::CocoSet set, dataset::read_coco_set(coco));
  FOREBAY_RETURN_IF_ERROR(dataset::save_preprocessed_set(set, coco));
  const size_t samples = set.images.size();
  return MadeIndex{{{"index", request.out}, {"samples", samples}}, fmt::format("{} samples", samples)};
}

Result<MadeIndex> write_as(const IndexRequest& request, WrittenAs as) {
  switch (as) {
    case WrittenAs::kCoco:
      return write_annotations(request);
    case WrittenAs::kTfrecord2idx:
      return write_text(request, dataset::TextIndexKind::kTfrecord2idx);
    case WrittenAs::kWds2idx:
      return write_text(request, dataset::TextIndexKind::kWds2idx);
    default:
      return write_text(request, dataset::TextIndexKind::kRec2idx);
  }
}

Result<MadeIndex> make_index(const IndexRequest& request) {
  const int64_t begin_ns = steady_clock().now_ns();
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<dataset::Source> source, make_source_of(request));
  const double seconds = static_cast<double>(steady_clock().now_ns() - begin_ns) * 1e-9;
  return MadeIndex{{{"index", request.out}, {"samples", source->size()}, {"seconds", seconds}},
                   fmt::format("{} samples, {:.2f} s", source->size(), seconds)};
}

Status run_index(IndexOptions options) {
  IndexRequest& request = options.request;
  FOREBAY_RETURN_IF_ERROR(check_as(options));
  FOREBAY_RETURN_IF_ERROR(check_out(options));
  const auto progress = std::make_shared<ShownProgress>();
  request.progress = [progress](const dataset::IndexProgress& now) { (*progress)(now); };
  const Result<MadeIndex> made = options.as ? write_as(request, *options.as) : make_index(request);
  progress->end();
  FOREBAY_RETURN_IF_ERROR(made.status());
  if (options.as_json) {
    fmt::print("{}\n", made->facts.dump());
  } else {
    fmt::print("{}: {}\n", request.out, made->text);
  }
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
          "A folder of classes, a list of files (of one named .json with --kind files); .tar, .tfrecord, "
          ".rec or .parquet files; index.json of "
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
