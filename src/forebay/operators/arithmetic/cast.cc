// cast: another element type.
#include "forebay/kernels/generic/cast.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/arithmetic/cast_to.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status cast_to(Sample& sample, DType dtype) {
  const Tensor& in = sample.input(0);
  if (in.dtype() == dtype) {
    sample.forward(0, in);
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {in.shape(), dtype, in.layout()}));
  return kernels::cast(in.view(), out);
}

namespace {

struct CastArguments {
  const void* in;
  void* out;
};

// Casts the element at `index`: the body of the device kernels.
template <class In, class Out>
void cast_element(const void* arguments, int64_t index) {
  const auto* const cast = static_cast<const CastArguments*>(arguments);
  static_cast<Out*>(cast->out)[index] =
      kernels::convert_saturated<Out>(static_cast<const In*>(cast->in)[index]);
}

KernelBody cast_element_of(DType from, DType to) {
  return tensor::visit_dtype(from, [&](auto in) {
    return tensor::visit_dtype(to, [&](auto out) -> KernelBody {
      return cast_element<typename decltype(in)::type, typename decltype(out)::type>;
    });
  });
}

struct Cast {
  DType dtype = DType::kNone;

  Status run(Sample& sample) const { return cast_to(sample, dtype); }

  Result<TensorSpec> output_spec(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    return TensorSpec{in.shape(), dtype, in.layout()};
  }

  Status launch(std::span<Sample> group, LaunchQueue& queue) const {
    for (Sample& sample : group) {
      const Tensor& in = sample.input(0);
      const CastArguments arguments{in.data(), sample.result(0).mutable_data()};
      FOREBAY_RETURN_IF_ERROR(
          queue.launch("forebay_cast", cast_element_of(in.dtype(), dtype), in.volume(), arguments));
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec cast() {
  return describe<Cast>("cast", "Converts to another element type.")
      .input("data", "Any tensor.")
      .param("dtype", &Cast::dtype,
             "The type to convert to. Floats are rounded, halves away from zero; what the type "
             "cannot hold becomes its nearest value. As a bool, what rounds to 0 is false.")
      .required()
      .outputs("The same shape and layout; the input itself if it has that type already.")
      .matches("DALI cast")
      .build();
}

}  // namespace forebay::operators
