// The source of each output pixel is computed once for all rows. Three-byte pixels are read and written as
// four bytes: the surplus byte is overwritten by the next pixel, and pixels whose surplus would be outside
// the row are copied byte by byte. A row with the same source row as the previous one is a copy of it.
#include "forebay/kernels/resampling/resample_nearest.h"

#include <cstring>

#include "forebay/memory/copy.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

template <int kBytes>
void move_one(const uint8_t* from, uint8_t* to) {
  struct Block {
    uint8_t bytes[kBytes];
  };
  Block block;
  std::memcpy(&block, from, sizeof(Block));
  std::memcpy(to, &block, sizeof(Block));
}

// Pixels are kStep bytes apart, and kMoved >= kStep bytes are moved.
template <int kStep, int kMoved = kStep>
void move_run(const uint8_t* in, const ptrdiff_t* offsets, int begin, int end, uint8_t* out) {
  for (int x = begin; x < end; ++x) {
    move_one<kMoved>(in + offsets[x], out + static_cast<ptrdiff_t>(x) * kStep);
  }
}

// The pixels [begin, end) whose bytes may be read and written as four.
struct WideRun {
  int begin = 0;
  int end = 0;
};

WideRun find_wide_run(const memory::ScratchVector<ptrdiff_t>& offsets, int in_width) {
  const auto fits = [&](int x) { return offsets[x] + 4 <= ptrdiff_t{3} * in_width; };
  WideRun run{0, static_cast<int>(offsets.size()) - 1};  // the last one must not be written as four
  while (run.begin < run.end && !fits(run.begin)) {
    ++run.begin;
  }
  while (run.begin < run.end && !fits(run.end - 1)) {
    --run.end;
  }
  return run;
}

void move_any(const uint8_t* in, const memory::ScratchVector<ptrdiff_t>& offsets, int bytes, uint8_t* out) {
  for (const ptrdiff_t offset : offsets) {
    const uint8_t* pixel = in + offset;
    for (int i = 0; i < bytes; ++i) {
      *out++ = pixel[i];
    }
  }
}

}  // namespace

void move_pixels(const ImageView<uint8_t>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                 const MutableImageView<uint8_t>& out) {
  const int bytes = in.channels;
  memory::ScratchVector<ptrdiff_t> offsets(out.width);
  for (int x = 0; x < out.width; ++x) {
    offsets[x] = static_cast<ptrdiff_t>(horizontal.first(x)) * bytes;
  }
  const WideRun wide = bytes == 3 ? find_wide_run(offsets, in.width) : WideRun{};
  for (int y = 0; y < out.height; ++y) {
    if (y > 0 && vertical.first(y) == vertical.first(y - 1)) {
      memory::copy(out.row(y), out.row(y - 1), static_cast<size_t>(out.width) * bytes);
      continue;
    }
    const uint8_t* source = in.row(vertical.first(y));
    uint8_t* target = out.row(y);
    switch (bytes) {
      case 1:
        move_run<1>(source, offsets.data(), 0, out.width, target);
        break;
      case 2:
        move_run<2>(source, offsets.data(), 0, out.width, target);
        break;
      case 3:
        move_run<3>(source, offsets.data(), 0, wide.begin, target);
        move_run<3, 4>(source, offsets.data(), wide.begin, wide.end, target);
        move_run<3>(source, offsets.data(), wide.end, out.width, target);
        break;
      case 4:
        move_run<4>(source, offsets.data(), 0, out.width, target);
        break;
      default:
        move_any(source, offsets, bytes, target);
    }
  }
}

}  // namespace forebay::kernels
