// decoders.numpy: the array in the bytes of an .npy file.
#include "forebay/dataset/numpy/npy_region.h"
#include "forebay/kernels/generic/cast.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

struct DecodersNumpy {
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    const Tensor& file = sample.input(0);
    if (file.dtype() != DType::kUint8 || file.spec().shape.rank() != 1) {
      return invalid_argument("the bytes of an .npy file are needed, uint8 of one axis, not {}",
                              file.spec().to_string());
    }
    const Bytes bytes = file.bytes();
    FOREBAY_ASSIGN_OR_RETURN(const dataset::NpyHeader header, dataset::parse_npy_header(bytes));
    const auto region = dataset::ArrayRegion::all_of(header.shape);
    FOREBAY_ASSIGN_OR_RETURN(const auto plan, dataset::RegionPlan::make(header, region, bytes.size()));
    std::vector<Bytes> blocks;
    for (const dataset::ByteRange& range : plan.ranges()) {
      blocks.push_back(bytes.subspan(range.offset_bytes, range.length_bytes));
    }
    const DType wanted = dtype.value_or(header.dtype);
    TensorSpec spec = plan.spec();
    if (wanted == header.dtype) {
      FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
      plan.fill(blocks, 0, out.bytes());
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableBytes stored, sample.scratch(spec.size_bytes()));
    plan.fill(blocks, 0, stored);
    spec.dtype = wanted;
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::cast({stored.data(), plan.spec()}, out);
  }
};

OperatorSpec decoders_numpy() {
  return describe<DecodersNumpy>("decoders.numpy", "Decodes the bytes of .npy files.")
      .input("data", "The bytes of a file.")
      .param("dtype", &DecodersNumpy::dtype, "Element type of the output; that of the file when not given.")
      .outputs("The array, in C order.")
      .matches("DALI fn.decoders.numpy")
      .build();
}

}  // namespace forebay::operators
