// Sequences of pictures that are frames of videos: a folder for each video, a file for each frame. The rules
// are those of DALI's readers.sequence: no sequence crosses folders, and each is whole.
//
// Fields: the bytes of each frame, uint8 [n].
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

struct SequenceOptions : SourceOptions {
  std::string file_root;        // the folder of the videos' folders
  int64_t sequence_length = 0;  // frames of a sequence
  int64_t step = 1;             // from the first frame of a sequence to that of the next
  int64_t stride = 1;           // from frame to frame in a sequence
};

/// invalid_argument for numbers that make no sequence.
Status check(const SequenceOptions& options);

/// not_found if no folder has enough frames.
Result<std::shared_ptr<Source>> make_sequence_source(const SequenceOptions& options);

}  // namespace forebay::dataset
