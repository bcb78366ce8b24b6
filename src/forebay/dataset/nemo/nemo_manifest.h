// Manifests of speech as NVIDIA NeMo writes them: a JSON object a line, with the keys audio_filepath, and if
// they are known offset and duration, in seconds, and text. Others are passed over. (NeMo, "Preparing custom
// ASR data".)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::dataset {

/// Where a manifest does not say, or says -1.
inline constexpr double kUnknownSeconds = -1;

struct NemoEntry {
  std::string path;                     // as the manifest has it
  double offset_s = kUnknownSeconds;    // where its part of the file begins
  double duration_s = kUnknownSeconds;  // how long it is
  int64_t number = 0;                   // among those that were kept of its manifest
  size_t text_end = 0;  // of NemoEntries::texts; it begins where that of the entry before ends
};

struct NemoEntries {
  std::vector<NemoEntry> entries;
  std::string texts;  // UTF-8, one behind the other

  std::string_view text(size_t entry) const {
    const size_t begin = entry == 0 ? 0 : entries[entry - 1].text_end;
    return std::string_view(texts).substr(begin, entries[entry].text_end - begin);
  }
};

/// Which entries are kept: those no shorter and no longer, in seconds; 0 or less: no bound. An entry without
/// duration is shorter than any.
struct NemoBounds {
  double min_duration_s = 0;
  double max_duration_s = 0;
};

/// Appends the entries of a manifest. Blank lines are passed over. data_loss with the manifest's name, the
/// line, the key and its value for a line that is no object, or has no path or one with a NUL byte, or
/// numbers that are none of seconds.
Status parse_nemo_manifest(std::string_view manifest, const std::string& name, const NemoBounds& bounds,
                           NemoEntries* entries);

}  // namespace forebay::dataset
