// The index files of DALI's tools, made from any store.
#pragma once

#include <string>

#include "forebay/base/status.h"
#include "forebay/storage/object_store.h"

namespace forebay::dataset {

/// Named after the tools.
enum class TextIndexKind { kTfrecord2idx, kWds2idx, kRec2idx };

/// Scans one file and gives the text of its index. data_loss if the file is truncated or damaged: such a file
/// has no index that says so.
Result<std::string> make_text_index(const storage::ObjectAddress& file, TextIndexKind kind);

}  // namespace forebay::dataset
