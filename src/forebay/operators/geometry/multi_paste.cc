// multi_paste: regions of several images on one canvas.
#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/generic/strided.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLongestCanvasSide = int64_t{1} << 31;
constexpr double kFarAnchor = 1e15;  // beyond every image

/// One pair (y, x) a region.
using Pairs = std::vector<std::array<double, 2>>;

struct PastedRegion {
  const Tensor* source = nullptr;
  std::array<int64_t, 2> from{};
  std::array<int64_t, 2> size{};
  std::array<int64_t, 2> to{};
};

struct MultiPaste {
  Arg<std::vector<int64_t>> in_ids;
  Arg<std::vector<int64_t>> output_size;
  Arg<std::vector<int64_t>> in_anchors;
  Arg<std::vector<float>> in_anchors_rel;
  Arg<std::vector<int64_t>> shapes;
  Arg<std::vector<float>> shapes_rel;
  Arg<std::vector<int64_t>> out_anchors;
  Arg<std::vector<float>> out_anchors_rel;
  std::optional<DType> dtype;

  /// A batch is needed only where regions come from other samples.
  Scope scope() const { return in_ids.is_given() || !is_prepared_ ? Scope::kBatch : Scope::kSample; }

  Status prepare(const Arguments& arguments) {
    is_prepared_ = true;
    if ((in_anchors.is_given() && in_anchors_rel.is_given()) ||
        (shapes.is_given() && shapes_rel.is_given()) ||
        (out_anchors.is_given() && out_anchors_rel.is_given())) {
      return invalid_argument("anchors and shapes are given either in pixels or relative (_rel), not both");
    }
    if (in_ids.is_given() && arguments.num_inputs != 1) {
      return invalid_argument("`in_ids` takes regions from one input, and there are {}",
                              arguments.num_inputs);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    std::vector<const Tensor*> sources;
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
    std::vector<const Tensor*> sources;
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
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<PastedRegion> regions,
                             regions_of(sample, sources, spec.shape));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    std::fill_n(static_cast<std::byte*>(out.data), spec.size_bytes(), std::byte{0});
    for (const PastedRegion& region : regions) {
      copy_region(region, out);
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

  /// The argument's pairs of one sample, or nullopt if it is not given.
  template <class Number>
  static Result<std::optional<Pairs>> pairs_of(const Sample& sample, const Arg<std::vector<Number>>& argument,
                                               std::string_view name, size_t count) {
    if (!argument.is_given()) {
      return std::nullopt;
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentValues<Number> values, argument.values(sample));
    if (values.size() != 2 * count) {
      return invalid_argument("{} has {} numbers; {} regions need a pair (y, x) each", name, values.size(),
                              count);
    }
    Pairs pairs;
    for (size_t i = 0; i < count; ++i) {
      pairs.push_back({static_cast<double>(values[2 * i]), static_cast<double>(values[2 * i + 1])});
    }
    return pairs;
  }

  /// Region `index` along one axis, from relative or absolute pairs; `round` makes pixels of relative ones.
  static Result<int64_t> pixels_of(const std::optional<Pairs>& absolute, const std::optional<Pairs>& relative,
                                   size_t index, size_t axis, int64_t extent, int64_t otherwise,
                                   float (*round)(float)) {
    if (absolute) {
      return static_cast<int64_t>(std::clamp((*absolute)[index][axis], -kFarAnchor, kFarAnchor));
    }
    if (!relative) {
      return otherwise;
    }
    const auto part = static_cast<float>((*relative)[index][axis]);
    if (!(part >= 0 && part <= 1)) {
      return invalid_argument("a relative anchor or shape is from 0 to 1, not {}", part);
    }
    return static_cast<int64_t>(round(static_cast<float>(extent) * part));
  }

  Result<std::vector<PastedRegion>> regions_of(const Sample& sample, std::span<const Tensor* const> sources,
                                               const Shape& canvas) const {
    const size_t count = sources.size();
    FOREBAY_ASSIGN_OR_RETURN(const auto from, pairs_of(sample, in_anchors, "in_anchors", count));
    FOREBAY_ASSIGN_OR_RETURN(const auto from_rel, pairs_of(sample, in_anchors_rel, "in_anchors_rel", count));
    FOREBAY_ASSIGN_OR_RETURN(const auto size, pairs_of(sample, shapes, "shapes", count));
    FOREBAY_ASSIGN_OR_RETURN(const auto size_rel, pairs_of(sample, shapes_rel, "shapes_rel", count));
    FOREBAY_ASSIGN_OR_RETURN(const auto to, pairs_of(sample, out_anchors, "out_anchors", count));
    FOREBAY_ASSIGN_OR_RETURN(const auto to_rel, pairs_of(sample, out_anchors_rel, "out_anchors_rel", count));
    std::vector<PastedRegion> regions(count);
    for (size_t i = 0; i < count; ++i) {
      PastedRegion& region = regions[i];
      region.source = sources[i];
      for (size_t axis = 0; axis < 2; ++axis) {
        const int64_t extent = sources[i]->shape()[static_cast<int>(axis)];
        const int64_t room = canvas[static_cast<int>(axis)];
        FOREBAY_ASSIGN_OR_RETURN(region.from[axis],
                                 pixels_of(from, from_rel, i, axis, extent, 0, std::floor));
        FOREBAY_ASSIGN_OR_RETURN(region.size[axis], pixels_of(size, size_rel, i, axis, extent,
                                                              extent - region.from[axis], std::ceil));
        FOREBAY_ASSIGN_OR_RETURN(region.to[axis], pixels_of(to, to_rel, i, axis, room, 0, std::floor));
        const bool is_inside = region.from[axis] >= 0 && region.size[axis] >= 0 && region.to[axis] >= 0 &&
                               region.from[axis] <= extent - region.size[axis] &&
                               region.to[axis] <= room - region.size[axis];
        if (!is_inside) {
          return invalid_argument(
              "region {} has {} pixels along axis {}, from {} of {} in the image to {} of {} on the canvas",
              i, region.size[axis], axis, region.from[axis], extent, region.to[axis], room);
        }
      }
    }
    return regions;
  }

  static void copy_region(const PastedRegion& region, const MutableTensorView& out) {
    const TensorView in = region.source->view();
    const int64_t channels = in.shape()[2];
    const int64_t size = region.size[1] * channels;
    tensor::visit_dtype(in.dtype(), [&](auto from_tag) {
      tensor::visit_dtype(out.dtype(), [&](auto to_tag) {
        using In = typename decltype(from_tag)::type;
        using Out = typename decltype(to_tag)::type;
        for (int64_t y = 0; y < region.size[0]; ++y) {
          const In* from = in.as<In>() + ((region.from[0] + y) * in.shape()[1] + region.from[1]) * channels;
          Out* to = out.as<Out>() + ((region.to[0] + y) * out.shape()[1] + region.to[1]) * channels;
          if constexpr (std::is_same_v<In, Out>) {
            std::copy_n(from, size, to);  // copy: a row of a region
          } else {
            std::transform(from, from + size, to,
                           [](In value) { return kernels::convert_saturated<Out>(value); });
          }
        }
      });
    });
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
      .param("in_anchors", &MultiPaste::in_anchors,
             "Where in the images the regions begin, a pair (y, x) a region; (0, 0) without it.")
      .param("in_anchors_rel", &MultiPaste::in_anchors_rel, "The same as parts of the image, rounded down.")
      .param("shapes", &MultiPaste::shapes,
             "Heights and widths of the regions; without it, up to the ends of the images.")
      .param("shapes_rel", &MultiPaste::shapes_rel, "The same as parts of the image, rounded up.")
      .param("out_anchors", &MultiPaste::out_anchors,
             "Where on the canvas the regions begin, a pair (y, x) a region; (0, 0) without it.")
      .param("out_anchors_rel", &MultiPaste::out_anchors_rel,
             "The same as parts of the canvas, rounded down.")
      .param("dtype", &MultiPaste::dtype, "Type of the output; the input's without it.")
      .outputs("The canvas; later regions cover earlier ones, and the rest is 0.")
      .matches("DALI multi_paste")
      .build();
}

}  // namespace forebay::operators
