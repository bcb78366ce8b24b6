// The index files of DALI's tools, made from any store.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// Named after the tools.
enum class TextIndexKind { kTfrecord2idx, kWds2idx, kRec2idx };

/// Scans one file and gives the text of its index. data_loss if the file is truncated or damaged: such a file
/// has no index that says so.
Result<std::string> make_text_index(const storage::ObjectAddress& file, TextIndexKind kind);

/// index_file: where the index goes; of several files, or where it ends with "/" or is a folder that exists,
/// the folder that their indexes go to. Each is named as its file, with the extension "idx" instead of its
/// own, or one more where it shares its name without the extension with another one.
struct TextIndexesOptions : SourceOptions {
  std::vector<std::string> paths;  // names may stand for several: see path_patterns.h
  TextIndexKind kind = TextIndexKind::kTfrecord2idx;
};

struct WrittenTextIndexes {
  size_t files = 0;
  uint64_t bytes = 0;
};

/// Makes the index of each file, several at a time, and writes them when all are made. Of several files, what
/// was made of those that are done lies in a folder meanwhile, beside index_file, so that it can be gone on
/// with after an interruption. invalid_argument, before anything is read, if index_file is a file and there
/// are several.
Result<WrittenTextIndexes> write_text_indexes(TextIndexesOptions options);

}  // namespace forebay::dataset
