// multi_paste: regions of several images on one canvas.
#include <algorithm>

#include "forebay/operators/geometry/pasted_regions.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLongestCanvasSide = int64_t{1} << 31;

using Sources = memory::ScratchVector<const Tensor*>;

struct MultiPaste : RegionArguments {
  Arg<std::vector<int64_t>> in_ids;
  Arg<std::vector<int64_t>> output_size;
  std::optional<DType> dtype;

  /// A batch is needed only where regions come from other samples.
  Scope scope() const { return in_ids.is_given() || !is_prepared_ ? Scope::kBatch : Scope::kSample; }

  Status prepare(const Arguments& arguments) {
    is_prepared_ = true;
    if (in_ids.is_given() && arguments.num_inputs != 1) {
      return invalid_argument("`in_ids` takes regions from one input, and there are {}",
                              arguments.num_inputs);
    }
    return check_regions();
  }

  Status run(Sample& sample) const {
    Sources sources;
    for (const Tensor& input : sample.inputs()) {
      sources.push_back(&input);
    }
    return paste(sample, sources);
  }

  Status run_batch(std::span<Sample> samples) const {
    FOREBAY_RETURN_IF_ERROR(check_alike(samples));
    for (Sample& sample : samples) {
      FOREBAY_RETURN_IF_ERROR(sample.named(paste_from(samples, sample)));
    }
    return ok_status();
  }

 private:
  Status paste_from(std::span<const Sample> samples, Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers ids, in_ids.values(sample));
    Sources sources;
    for (const int64_t id : ids) {
      if (id < 0 || id >= static_cast<int64_t>(samples.size())) {
        return out_of_range("in_ids names sample {}, and the batch has {}", id, samples.size());
      }
      sources.push_back(&samples[static_cast<size_t>(id)].input(0));
    }
    return paste(sample, sources);
  }

  /// Without output_size, all samples have the canvas' size.
  Status check_alike(std::span<Sample> samples) const {
    for (const Sample& sample : samples) {
      if (!output_size.is_given() && !has_size_of(sample.input(0), samples[0].input(0))) {
        return sample.named(
            invalid_argument("without output_size all images have one size; there are {} and {}",
                             samples[0].input(0).spec().to_string(), sample.input(0).spec().to_string()));
      }
    }
    return ok_status();
  }

  static bool has_size_of(const Tensor& a, const Tensor& b) {
    return a.shape().rank() == 3 && b.shape().rank() == 3 && a.shape()[0] == b.shape()[0] &&
           a.shape()[1] == b.shape()[1];
  }

  Status paste(Sample& sample, std::span<const Tensor* const> sources) const {
    const Tensor& first = sources.empty() ? sample.input(0) : *sources[0];
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(first, {"HWC"}));
    for (const Tensor* source : sources) {
      FOREBAY_RETURN_IF_ERROR(image_layout(*source, {"HWC"}).status());
      if (source->dtype() != first.dtype() || source->shape().back() != first.shape().back() ||
          (!output_size.is_given() && !has_size_of(*source, first))) {
        return invalid_argument(
            "{} and {} go on one canvas; types and channels agree, and without output_size also heights and "
            "widths",
            first.spec().to_string(), source->spec().to_string());
      }
    }
    TensorSpec spec{first.shape(), dtype.value_or(first.dtype()), layout};
    FOREBAY_RETURN_IF_ERROR(set_canvas(sample, spec.shape));
    FOREBAY_ASSIGN_OR_RETURN(const PastedRegions regions, regions_of(sample, sources, spec.shape));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    std::fill_n(static_cast<std::byte*>(out.data), spec.size_bytes(), std::byte{0});
    for (const PastedRegion& region : regions) {
      FOREBAY_RETURN_IF_ERROR(paste_region(region, out));
    }
    return ok_status();
  }

  Status set_canvas(const Sample& sample, Shape& shape) const {
    if (!output_size.is_given()) {
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers size, output_size.values(sample));
    if (size.size() < 2 || std::min(size[0], size[1]) < 0 ||
        std::max(size[0], size[1]) > kLongestCanvasSide) {
      return invalid_argument("output_size is a height and a width, from 0 to {}", kLongestCanvasSide);
    }
    shape[0] = size[0];
    shape[1] = size[1];
    if (!shape.checked_volume()) {
      return invalid_argument("no canvas can have the shape {}", shape.to_string());
    }
    return ok_status();
  }

  bool is_prepared_ = false;
};

}  // namespace

OperatorSpec multi_paste() {
  return describe<MultiPaste>("multi_paste", "Pastes regions of several images on one canvas.")
      .variadic_inputs("data", "Images, HWC. Of several inputs, the images of a sample go on one canvas.", 1,
                       64)
      .param("in_ids", &MultiPaste::in_ids,
             "The places in the batch of the images that go on this sample's canvas, in this order.")
      .param("output_size", &MultiPaste::output_size,
             "Height and width of the canvas; those of the images without it.")
      .group(add_region_arguments<MultiPaste>)
      .param("dtype", &MultiPaste::dtype, "Type of the output; the input's without it.")
      .outputs("The canvas; later regions cover earlier ones, and the rest is 0.")
      .matches("DALI multi_paste")
      .build();
}

}  // namespace forebay::operators
