#include <limits>

#include "forebay/dataset/files/file_source.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersFile : ReaderArguments {
  std::string file_root;
  std::string file_list;
  std::vector<std::string> files;
  std::vector<int64_t> labels;
  std::vector<std::string> file_filters = dataset::default_file_filters();
  std::vector<std::string> dir_filters;
  bool case_sensitive_filter = false;

  Status prepare(const Arguments& arguments) const {
    const bool has_files = arguments.constants.contains("files");
    if (has_files && !file_list.empty()) {
      return invalid_argument("`files` and `file_list` cannot be given together");
    }
    if (!has_files && file_list.empty() && file_root.empty()) {
      return invalid_argument("one of `file_root`, `file_list` and `files` must be given");
    }
    if (!labels.empty() && labels.size() != files.size()) {
      return invalid_argument("{} `labels` are given for {} `files`", labels.size(), files.size());
    }
    for (const int64_t label : labels) {
      if (label < std::numeric_limits<int32_t>::min() || label > std::numeric_limits<int32_t>::max()) {
        return invalid_argument("the label {} is not an int32", label);
      }
    }
    if (shuffle_after_epoch && random_shuffle) {
      return invalid_argument("`shuffle_after_epoch` and `random_shuffle` cannot be given together");
    }
    return check();
  }

  int num_outputs() const { return 2; }

  Status run(Sample&) const { return internal_error("a reader is read through its source"); }

  Result<std::shared_ptr<dataset::Source>> open_source() const {
    dataset::FileSourceOptions options;
    set_source_options(options);
    options.file_root = file_root;
    options.file_list = file_list;
    options.files = files;
    for (const int64_t label : labels) {
      options.labels.push_back(static_cast<int32_t>(label));
    }
    options.file_filters = file_filters;
    options.dir_filters = dir_filters;
    options.case_sensitive_filter = case_sensitive_filter;
    return dataset::make_file_source(options);
  }
};

OperatorSpec readers_file() {
  using Op = ReadersFile;
  return describe<Op>("readers.file",
                      "Reads files and their labels: a folder of labelled folders, or a list.")
      .param(
          "file_root", &Op::file_root,
          "Folder whose subfolders are the labels; with `files` or `file_list`, what paths are relative to.")
      .param("file_list", &Op::file_list, "File with lines \"path label\".")
      .param("files", &Op::files, "Paths of the files.")
      .param("labels", &Op::labels, "Labels of `files`; else their numbers.")
      .param("file_filters", &Op::file_filters, "Glob patterns: which files of the subfolders are read.")
      .param("dir_filters", &Op::dir_filters, "Glob patterns: which subfolders are read; all when empty.")
      .param("case_sensitive_filter", &Op::case_sensitive_filter, "The patterns tell upper from lower case.")
      .group([](auto& description) { add_reader_arguments(description); })
      .outputs("The file's bytes, uint8, and its label, int32.")
      .matches("DALI fn.readers.file")
      .build();
}

}  // namespace forebay::operators
