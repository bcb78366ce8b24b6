// A part of a file, as reads and what is read ahead name it.
#pragma once

#include <cstdint>

namespace forebay::fuse {

struct FilePart {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // 0: nothing
};

/// A cache keeps large objects in pieces of this size. Whoever asks for whole ones finds what others have
/// read of them, and leaves what others find; and a view of a whole one costs no more than one of a part.
inline constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

}  // namespace forebay::fuse
