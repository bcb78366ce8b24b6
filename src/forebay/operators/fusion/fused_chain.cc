#include "forebay/operators/fusion/fused_chain.h"

#include "forebay/kernels/pixels/normalize_row.h"
#include "forebay/kernels/resampling/fused_resample.h"

namespace forebay::operators {
namespace {

constexpr int kMaxStreamedChannels = 4;

template <class T>
Result<DecodeJob> decode_with(const void* parameters, const Sample& sample) {
  return static_cast<const T*>(parameters)->job(sample);
}

template <class T>
Result<ResizePlan> resize_with(const void* parameters, const Sample& sample, const TensorSpec& in) {
  return static_cast<const T*>(parameters)->plan(sample, in);
}

/// Memory between two steps, from the sample's scratch memory.
class BetweenSteps final : public SampleServices {
 public:
  explicit BetweenSteps(SampleServices& outer) : outer_(outer) {}

  Result<Tensor> allocate_output(int, const TensorSpec& spec) override {
    FOREBAY_ASSIGN_OR_RETURN(const MutableBytes memory, outer_.scratch(spec.size_bytes()));
    auto buffer = memory::Buffer::wrap(memory.data(), memory.size(), memory::MemoryKind::kHost, [] {});
    return Tensor(std::move(buffer), 0, spec);
  }
  Result<MutableBytes> scratch(size_t bytes) override { return outer_.scratch(bytes); }
  Status reserve(size_t bytes) override { return outer_.reserve(bytes); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    outer_.parallel_for(count, function);
  }

 private:
  SampleServices& outer_;
};

bool is_image(const TensorSpec& spec) {
  return spec.shape.rank() == 3 && spec.layout == Layout("HWC");
}

/// A job for a part of the image that `job` decodes.
DecodeJob narrowed(DecodeJob job, int64_t y, int64_t x, int64_t height, int64_t width) {
  const codec::Window outer = job.options.window.value_or(codec::Window{});
  job.options.window = codec::Window{outer.y + y, outer.x + x, height, width};
  return job;
}

}  // namespace

FusedChain::Part FusedChain::part_of(const FusionStep& step) {
  const std::string& name = step.spec->name;
  Part part;
  if (step.op->num_outputs() != 1 || step.op->parameters() == nullptr) {
    return part;
  }
  if (name == "decoders.image") {
    part.decode = decode_with<DecodersImage>;
  } else if (name == "decoders.image_crop") {
    part.decode = decode_with<DecodersImageCrop>;
  } else if (name == "decoders.image_slice") {
    part.decode = decode_with<DecodersImageSlice>;
  } else if (name == "decoders.image_random_crop") {
    part.decode = decode_with<DecodersImageRandomCrop>;
  } else if (name == "resize") {
    part.resize = resize_with<Resize>;
  } else if (name == "random_resized_crop") {
    part.resize = resize_with<RandomResizedCrop>;
  } else {
    part.is_normalize = name == "crop_mirror_normalize";
  }
  return part;
}

int FusedChain::longest(std::span<const FusionStep> chain) {
  int rank = 0;  // of the last part: decode 1, resize 2, normalise 3
  int count = 0;
  for (const FusionStep& step : chain) {
    const Part part = part_of(step);
    const int next = part.decode != nullptr ? 1 : part.resize != nullptr ? 2 : part.is_normalize ? 3 : 0;
    if (next <= rank) {
      break;
    }
    rank = next;
    ++count;
  }
  return count < 2 ? 0 : count;
}

FusedChain::FusedChain(std::span<const FusionStep> steps) : steps_(steps.begin(), steps.end()) {
  for (const FusionStep& step : steps_) {
    parts_.push_back(part_of(step));
  }
}

Sample FusedChain::at(Sample& sample, size_t index, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                      SampleServices& services) const {
  const FusionStep& step = steps_[index];
  if (!step.spec->is_random) {
    return sample.at_step(step.first_slot, inputs, outputs, services);
  }
  std::span<const Tensor> arguments;
  if (step.num_slots > 0) {
    arguments = {&sample.argument(step.first_slot), static_cast<size_t>(step.num_slots)};
  }
  const uint64_t key =
      random_key(step.seed, static_cast<uint64_t>(sample.identity().epoch), step.operator_key);
  return Sample(sample.identity(), key, inputs, arguments, outputs, services);
}

Status FusedChain::named(size_t index, const Status& status) const {
  if (status.ok()) {
    return status;
  }
  ErrorContext context;
  context.operator_name = steps_[index].name;
  return with_context(status, context);
}

Result<FusedChain::Plan> FusedChain::make_plan(Sample& sample) const {
  Plan plan;
  TensorSpec spec = sample.input(0).spec();
  plan.image = spec;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const void* parameters = steps_[i].op->parameters();
    const Sample step = at(sample, i, sample.inputs(), sample.outputs(), sample.services());
    if (parts_[i].decode != nullptr) {
      auto job = parts_[i].decode(parameters, step);
      FOREBAY_RETURN_IF_ERROR(named(i, job.status()));
      auto image = codec::decoded_spec(job->header, job->options);
      FOREBAY_RETURN_IF_ERROR(named(i, image.status()));
      plan.decode = *std::move(job);
      plan.image = *image;
      spec = *image;
    } else if (parts_[i].resize != nullptr) {
      auto resize = parts_[i].resize(parameters, step, spec);
      FOREBAY_RETURN_IF_ERROR(named(i, resize.status()));
      plan.resize = *std::move(resize);
      spec = plan.resize->out;
    } else {
      auto normalize = static_cast<const CropMirrorNormalize*>(parameters)->plan(step, spec);
      FOREBAY_RETURN_IF_ERROR(named(i, normalize.status()));
      plan.normalize = *std::move(normalize);
    }
  }
  return plan;
}

bool FusedChain::can_stream(const Plan& plan) {
  const int64_t channels = plan.image.shape.rank() == 3 ? plan.image.shape[2] : 0;
  if (!is_image(plan.image) || plan.image.dtype != DType::kUint8 || channels < 1 ||
      channels > kMaxStreamedChannels || plan.image.volume() == 0) {
    return false;
  }
  if (plan.resize &&
      (plan.resize->is_pillow || plan.resize->out.dtype != DType::kUint8 || plan.resize->out.volume() == 0)) {
    return false;
  }
  if (plan.normalize) {
    const Layout& layout = plan.normalize->out_layout;
    const bool is_padded = plan.normalize->options.out_channels != channels;
    return plan.normalize->is_inside && plan.normalize->out.volume() != 0 &&
           (layout == Layout("CHW") || layout == Layout("HWC")) && (!is_padded || plan.resize);
  }
  return true;
}

Status FusedChain::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const Plan plan, make_plan(sample));
  if (!can_stream(plan)) {
    return run_in_steps(sample);
  }
  TensorSpec spec = plan.resize ? plan.resize->out : plan.image;
  if (plan.normalize) {
    spec = {plan.normalize->out.shape, plan.normalize->out.dtype, plan.normalize->out_layout};
  }
  if (plan.decode) {
    FOREBAY_RETURN_IF_ERROR(
        sample.reserve(codec::decode_scratch_bytes(plan.decode->header, plan.decode->options)));
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  return plan.resize ? stream_resized(sample, plan, out) : stream_normalized(plan, out);
}

Status FusedChain::stream_resized(Sample& sample, const Plan& plan, const MutableTensorView& out) const {
  const size_t resize = plan.decode ? 1 : 0;
  auto vertical = plan.resize->axis(0);
  FOREBAY_RETURN_IF_ERROR(named(resize, vertical.status()));
  auto horizontal = plan.resize->axis(1);
  FOREBAY_RETURN_IF_ERROR(named(resize, horizontal.status()));
  const auto channels = static_cast<int>(plan.image.shape[2]);
  kernels::FusedOutput target;
  target.data = out.data;
  target.dtype = out.dtype();
  target.channels = channels;
  if (plan.normalize) {
    const kernels::CropMirrorNormalizeOptions& options = plan.normalize->options;
    target.normalize = true;
    target.planar = plan.normalize->out_layout == Layout("CHW");
    target.mirror = options.mirror;
    target.channels = options.out_channels;
    target.fill = options.fill;
    target.constants = options.constants;
    target.window_y = static_cast<int>(options.anchor[1]);
    target.window_x = static_cast<int>(options.anchor[2]);
    target.window_height = static_cast<int>(options.shape[1]);
    target.window_width = static_cast<int>(options.shape[2]);
  }
  FOREBAY_ASSIGN_OR_RETURN(auto fused, kernels::FusedResample::make(
                                           *std::move(vertical), *std::move(horizontal), channels, target));
  if (plan.decode) {
    const int rows = fused.end_row() - fused.next_row();
    const int columns = fused.end_column() - fused.first_column();
    const DecodeJob part = narrowed(*plan.decode, fused.next_row(), fused.first_column(), rows, columns);
    const auto push_row = [&](int64_t, std::span<const uint8_t> row) {
      fused.push_columns(row.data());
      return ok_status();
    };
    return named(0, codec::decode_image_rows(part.bytes, part.header, part.options, push_row));
  }
  const auto* pixels = sample.input(0).view().as<uint8_t>();
  const int64_t pitch = plan.image.shape[1] * channels;
  while (!fused.is_finished()) {
    fused.push_row(pixels + fused.next_row() * pitch);
  }
  return ok_status();
}

Status FusedChain::stream_normalized(const Plan& plan, const MutableTensorView& out) const {
  const kernels::CropMirrorNormalizeOptions& options = plan.normalize->options;
  const int64_t height = options.shape[1];
  const int64_t width = options.shape[2];
  const auto channels = static_cast<int>(plan.image.shape[2]);
  const bool is_planar = plan.normalize->out_layout == Layout("CHW");
  const DecodeJob part = narrowed(*plan.decode, options.anchor[1], options.anchor[2], height, width);
  const auto element = static_cast<int64_t>(tensor::size_of(out.dtype()));
  kernels::NormalizedRow target;
  target.dtype = out.dtype();
  target.pixel_stride = is_planar ? 1 : channels;
  target.channel_stride = is_planar ? height * width : 1;
  const auto write_row = [&](int64_t y, std::span<const uint8_t> row) {
    target.data = static_cast<std::byte*>(out.data) + y * width * target.pixel_stride * element;
    kernels::normalize_row(row.data(), static_cast<int>(width), channels, options.mirror, options.constants,
                           target);
    return ok_status();
  };
  return named(0, codec::decode_image_rows(part.bytes, part.header, part.options, write_row));
}

Status FusedChain::run_in_steps(Sample& sample) const {
  BetweenSteps between(sample.services());
  std::vector<Tensor> inputs(sample.inputs().begin(), sample.inputs().end());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool is_last = i + 1 == steps_.size();
    std::vector<Tensor> held(1);
    SampleServices& services = is_last ? sample.services() : between;
    Sample step = at(sample, i, inputs, is_last ? sample.outputs() : std::span<Tensor>(held), services);
    FOREBAY_RETURN_IF_ERROR(named(i, steps_[i].op->run(step)));
    inputs = std::move(held);
  }
  return ok_status();
}

}  // namespace forebay::operators
