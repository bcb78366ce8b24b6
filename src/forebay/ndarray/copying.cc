#include "forebay/ndarray/copying.h"

#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;

void convert(const tensor::TensorView& in, const tensor::MutableTensorView& out) {
  tensor::visit_dtype(in.dtype(), [&](auto from) {
    using From = typename decltype(from)::type;
    tensor::visit_dtype(out.dtype(), [&](auto to) {
      using To = typename decltype(to)::type;
      const From* const source = in.as<From>();
      To* const target = out.as<To>();
      for (int64_t i = 0; i < in.volume(); ++i) {
        target[i] = kernels::convert_plainly<To>(source[i]);
      }
    });
  });
}

class Cast final : public Operation {
 public:
  explicit Cast(DType dtype) : dtype_(dtype) {}

  std::string_view name() const override { return "cast"; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    return ArraySpecs{{inputs[0].shape, dtype_}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const tensor::MutableTensorView& out = operands.outputs[0];
    if (in.dtype() == out.dtype()) {
      memory::copy(out.data, in.data, in.spec.size_bytes());
    } else {
      convert(in, out);
    }
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, cast(request.output_gradients[0], request.input_specs[0].dtype));
    return Arrays{std::move(gradient)};
  }

  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

 private:
  const DType dtype_;
};

/// Whether a storage holds this array and nothing else.
bool fills_storage(const Region& region) {
  return region.offset_bytes == 0 && region.spec.size_bytes() == region.storage->size_bytes();
}

}  // namespace

Result<Array> cast(const Array& array, DType dtype) {
  return apply_one(std::make_shared<Cast>(dtype), {&array, 1});
}

Result<Array> copy(const Array& array) {
  return cast(array, array.dtype());
}

Status copy_into(const Array& from, const Array& to) {
  const Array reshaped = from.viewed(to.shape());
  if (from.volume() != to.volume()) {
    return invalid_argument("{} does not fit into {}", from.spec().to_string(), to.spec().to_string());
  }
  if (from.region().storage == to.region().storage) {
    FOREBAY_ASSIGN_OR_RETURN(const Array apart, copy(from.detached()));
    return copy_into(apart, to);
  }
  return enqueue(std::make_shared<Cast>(to.dtype()), {&reshaped, 1}, {&to, 1});
}

Status move_into(Array from, const Array& to) {
  Region source = from.region();
  const Region target = to.region();
  if (source.storage == target.storage || !fills_storage(source) || !fills_storage(target)) {
    return copy_into(from, to);
  }
  from = Array();
  target.note_write();
  const engine::Variable variables[] = {source.storage->variable(), target.storage->variable()};
  return push({.name = "move", .reads = {variables, 1}, .writes = {variables + 1, 1}},
              [source = std::move(source), target] {
                const bool is_alone = source.storage.use_count() == 1;
                if (is_alone && target.storage->take_from(*source.storage)) {
                  return ok_status();
                }
                FOREBAY_RETURN_IF_ERROR(target.storage->take_memory());
                memory::copy(target.storage->data(), source.storage->data(), source.spec.size_bytes());
                return ok_status();
              });
}

}  // namespace forebay::ndarray
