// The work of this benchmark: a step of a pipeline whose every operator takes the memory of its output from
// an allocator and gives that of its input back, beside the same step in memory that is kept.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/kernels/generic/rearrange.h"
#include "forebay/kernels/image/crop_mirror_normalize.h"
#include "forebay/kernels/resampling/resample.h"
#include "harness/contender.h"

namespace step_benchmark {

using forebay::kernels::CropMirrorNormalizeOptions;
using forebay::kernels::ResampleAxis;
using forebay::kernels::ResampleFilter;
using forebay::tensor::DType;
using forebay::tensor::MutableTensorView;
using forebay::tensor::TensorSpec;

inline constexpr int kSide = 224;
inline constexpr size_t kImageBytes = size_t{kSide} * kSide * 3 * sizeof(float);

inline void check(const forebay::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(forebay::message(status)).c_str());
    std::exit(1);
  }
}

// One block a place, as large as was ever asked for: what a step costs without allocation.
class KeptBlocks {
 public:
  void* allocate(size_t place, size_t bytes) {
    if (place >= blocks_.size()) {
      blocks_.resize(place + 1);
    }
    if (blocks_[place].size() < bytes) {
      blocks_[place].resize(bytes);
    }
    return blocks_[place].data();
  }
  void deallocate(void*, size_t) {}

 private:
  std::vector<std::vector<std::byte>> blocks_;
};

// Allocator: void* allocate(size_t place, size_t bytes), void deallocate(void*, size_t bytes).
template <class Allocator>
class Step {
 public:
  Step(Allocator& allocator, const std::vector<std::string>& files, bool decodes)
      : allocator_(allocator), files_(files), decodes_(decodes) {
    normalize_.constants = *forebay::kernels::make_normalize_constants(
        std::vector<float>{124, 116, 104}, std::vector<float>{58, 57, 57}, 1, 0, 3);
    normalize_.shape = {1, kSide, kSide};
    normalize_.out_channels = 3;
    for (const std::string& file : files) {
      pictures_.push_back(*forebay::codec::decode_image(bytes_of(file)));
    }
  }

  int run() {
    auto* const batch = static_cast<std::byte*>(allocator_.allocate(0, files_.size() * kImageBytes));
    for (size_t i = 0; i < files_.size(); ++i) {
      const MutableTensorView picture = decodes_ ? decode(files_[i]) : flip(pictures_[i].view());
      const MutableTensorView resized = resize(picture);
      allocator_.deallocate(picture.data, picture.spec.size_bytes());
      const TensorSpec spec{{3, kSide, kSide}, DType::kFloat, "CHW"};
      check(forebay::kernels::crop_mirror_normalize(resized, normalize_, {batch + i * kImageBytes, spec}));
      allocator_.deallocate(resized.data, resized.spec.size_bytes());
    }
    allocator_.deallocate(batch, files_.size() * kImageBytes);
    return static_cast<int>(files_.size());
  }

 private:
  static forebay::Bytes bytes_of(const std::string& file) {
    return {reinterpret_cast<const std::byte*>(file.data()), file.size()};
  }

  MutableTensorView make(size_t place, const TensorSpec& spec) {
    return {allocator_.allocate(place, spec.size_bytes()), spec};
  }

  MutableTensorView decode(const std::string& file) {
    const auto header = *forebay::codec::read_image_header(bytes_of(file));
    const MutableTensorView out = make(1, *forebay::codec::decoded_spec(header, {}));
    check(forebay::codec::decode_image(bytes_of(file), header, {}, out));
    return out;
  }

  MutableTensorView flip(const forebay::tensor::TensorView& in) {
    const MutableTensorView out = make(1, in.spec);
    check(forebay::kernels::flip(in, kHorizontally, out));
    return out;
  }

  MutableTensorView resize(const MutableTensorView& in) {
    const MutableTensorView out = make(2, {{kSide, kSide, 3}, DType::kUint8, "HWC"});
    const ResampleAxis axes[] = {axis_of(in.shape()[0]), axis_of(in.shape()[1])};
    check(forebay::kernels::resample(in, axes, out));
    return out;
  }

  ResampleAxis axis_of(int64_t extent) const {
    return *ResampleAxis::make({.in_size = static_cast<int>(extent),
                                .out_size = kSide,
                                .lo = 0,
                                .hi = static_cast<float>(extent),
                                .min_filter = ResampleFilter::kNearest,
                                .mag_filter = ResampleFilter::kNearest});
  }

  static constexpr bool kHorizontally[] = {false, true, false};
  Allocator& allocator_;
  const std::vector<std::string>& files_;
  const bool decodes_;
  CropMirrorNormalizeOptions normalize_;
  std::vector<forebay::tensor::Tensor> pictures_;
};

// Steps with the allocator and steps in kept memory in turn, so that a slow moment of the machine falls on
// both.
template <class Allocator>
void run(const contender::Task& task, const std::map<std::string, std::string>& versions,
         Allocator& allocator) {
  std::vector<std::string> files = contender::read_pictures(task.text.at("folder"));
  files.resize(static_cast<size_t>(task.number.at("batch")), files.front());
  const bool decodes = task.number.at("decodes") != 0;
  Step<Allocator> step(allocator, files, decodes);
  KeptBlocks kept;
  Step<KeptBlocks> step_in_kept(kept, files, decodes);
  step.run();
  step_in_kept.run();
  double images = 0;
  double seconds = 0;
  double seconds_in_kept = 0;
  while (seconds + seconds_in_kept < task.seconds) {
    const double begun = contender::cpu_seconds();
    images += step.run();
    const double between = contender::cpu_seconds();
    step_in_kept.run();
    seconds += between - begun;
    seconds_in_kept += contender::cpu_seconds() - between;
  }
  contender::report(task, versions,
                    {{"images_per_cpu_second", images / seconds},
                     {"allocation_share", 100 * (1 - seconds_in_kept / seconds)}});
}

}  // namespace step_benchmark
