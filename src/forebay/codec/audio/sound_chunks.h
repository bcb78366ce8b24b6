// Walks the chunks of a sound file: of RIFF and its relatives, of AIFF, CAF and Wave64. Each has a name, a
// length and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

enum class ChunkLayout {
  kRiff,    // RIFF and RF64
  kRifx,    // RIFF with the highest byte first
  kAiff,    // AIFF and AIFC
  kCaf,     // Core Audio
  kWave64,  // Sony's
};

/// The layout of a file that begins with these bytes; nothing for other files, and for fewer bytes than the
/// header in front of its first chunk.
std::optional<ChunkLayout> chunk_layout_of(Bytes bytes);

/// "WAV", "AIFF"...
std::string_view name_of(ChunkLayout layout);

struct SoundChunk {
  std::string_view name;      // four letters; of a Wave64 the first four of its number
  uint64_t begin_bytes = 0;   // where what it holds begins
  uint64_t length_bytes = 0;  // of what it holds, as the file says: it may be more than there is
};

/// Borrows the bytes, which may be the first of a file. Sources: "Multimedia Programming Interface and Data
/// Specifications 1.0" (IBM, Microsoft, 1991); EBU Tech 3306 (RF64); "Audio Interchange File Format 1.3"
/// (Apple, 1989); "Apple Core Audio Format Specification 1.0"; "Sony Wave64 format", for Sound Forge.
class SoundChunks {
 public:
  /// The bytes are of this layout.
  SoundChunks(Bytes bytes, ChunkLayout layout);

  /// Nothing where no whole header of a chunk is left.
  std::optional<SoundChunk> next();

 private:
  const Bytes bytes_;
  const ChunkLayout layout_;
  uint64_t at_;
};

/// A number of a file of this layout, of 4 or 8 bytes; they are there.
uint64_t chunk_number(Bytes bytes, uint64_t at, size_t width_bytes, ChunkLayout layout);

}  // namespace forebay::codec
