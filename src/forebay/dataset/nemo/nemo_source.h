// Speech and its transcripts as manifests of NeMo name them.
//
// Fields: the file's bytes; which part of it the sample is, two doubles: its beginning and its length in
// seconds, negative where it begins with the file, and goes on to its end; the transcript, UTF-8, uint8; the
// entry's number among those that are taken of its manifest, int64 of shape (1).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// A relative path is that of a file where the process is, if there is one, else starts from the folder of
/// its manifest, as NeMo has it; of a manifest in a store always the latter.
struct NemoOptions : SourceOptions {
  std::vector<std::string> manifest_filepaths;
  float min_duration = 0;  // seconds; 0 or less: any
  float max_duration = 0;
};

/// invalid_argument for options without a manifest, and for a name that no file has.
Status check(const NemoOptions& options);

/// data_loss naming manifest and line for one that is broken; not_found if no entry is left. A missing file
/// is noticed when it is read.
Result<std::shared_ptr<Source>> make_nemo_source(const NemoOptions& options);

}  // namespace forebay::dataset
