#include "forebay/dataset/files/file_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersFile : Reader<dataset::FileSourceOptions, dataset::make_file_source> {
  int num_outputs() const { return 2; }
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
      .group(add_reader_arguments<Op>)
      .outputs("The file's bytes, uint8, and its label, int32.")
      .matches("DALI fn.readers.file")
      .build();
}

}  // namespace forebay::operators
