// A part of a file, and the sizes in which large files are asked for.
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

/// How much is asked for ahead of one reader.
inline constexpr uint64_t kWindowBytes = uint64_t{16} << 20;

}  // namespace forebay::fuse
