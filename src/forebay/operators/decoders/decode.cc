#include "forebay/operators/decoders/decode.h"

#include <limits>

namespace forebay::operators {

Status DecodeArguments::check() const {
  if (!codec::can_decode_to(dtype)) {
    return invalid_argument("images decode to integers of at most 32 bits or to float, not to {}",
                            tensor::name_of(dtype));
  }
  if (gives_indices() && dtype != DType::kUint8) {
    return invalid_argument("palette='index' gives UINT8, the indices as they are, not {}",
                            tensor::name_of(dtype));
  }
  if (static_cast<int64_t>(output_type) < 0 || output_type > ImageType::kAnyData) {
    return invalid_argument("{} is not an output_type", static_cast<int64_t>(output_type));
  }
  FOREBAY_RETURN_IF_ERROR(check_page(page));
  FOREBAY_RETURN_IF_ERROR(check_reduction(reduce));
  if (max_pixels < 1) {
    return invalid_argument("max_pixels is {}, at least 1 is needed", max_pixels);
  }
  if (max_bytes < 1) {
    return invalid_argument("max_bytes is {}, at least 1 is needed", max_bytes);
  }
  if (max_expansion < 1) {
    return invalid_argument("max_expansion is {}, at least 1 is needed", max_expansion);
  }
  if (max_scans < 1 || max_scans > std::numeric_limits<int>::max()) {
    return invalid_argument("max_scans is {}, from 1 to {} are possible", max_scans,
                            std::numeric_limits<int>::max());
  }
  if (max_blocks_scanned < 1) {
    return invalid_argument("max_blocks_scanned is {}, at least 1 is needed", max_blocks_scanned);
  }
  return ok_status();
}

Result<DecodeJob> DecodeArguments::whole_image(const Sample& sample) const {
  const Tensor& encoded = sample.input(0);
  if (encoded.shape().rank() != 1 || encoded.dtype() != DType::kUint8) {
    return invalid_argument("encoded bytes are needed, a uint8 tensor of rank 1, not {}",
                            encoded.spec().to_string());
  }
  DecodeJob job;
  job.bytes = encoded.bytes();
  job.options.output_type = static_cast<codec::OutputType>(output_type);
  job.options.dtype = dtype;
  job.options.gives_indices = gives_indices();
  job.options.adjust_orientation = adjust_orientation;
  job.options.scale_eighths = static_cast<int>(8 / reduce);
  job.options.limits.max_pixels = static_cast<uint64_t>(max_pixels);
  job.options.limits.max_bytes = static_cast<uint64_t>(max_bytes);
  job.options.limits.max_expansion = static_cast<uint64_t>(max_expansion);
  job.options.limits.max_scans = static_cast<int>(max_scans);
  job.options.limits.max_blocks_scanned = static_cast<uint64_t>(max_blocks_scanned);
  FOREBAY_ASSIGN_OR_RETURN(const int64_t number, page.get(sample));
  FOREBAY_ASSIGN_OR_RETURN(job.header, codec::read_image_header(job.bytes, number));
  return job;
}

Status check_page(const Arg<int64_t>& page) {
  return page.is_tensor() || page.constant() >= 0
             ? ok_status()
             : invalid_argument("page is {}, the first is 0", page.constant());
}

Status check_reduction(int64_t reduce) {
  const bool is_offered = reduce == 1 || reduce == 2 || reduce == 4 || reduce == 8;
  return is_offered ? ok_status() : invalid_argument("reduce is {}, not 1, 2, 4 or 8", reduce);
}

codec::ImageSize full_size(const DecodeJob& job) {
  return codec::oriented_size(job.header, job.options);
}

Status run_decode(Sample& sample, const DecodeJob& job) {
  FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, codec::decoded_spec(job.header, job.options));
  FOREBAY_RETURN_IF_ERROR(sample.reserve(codec::decode_scratch_bytes(job.header, job.options)));
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  return codec::decode_image(job.bytes, job.header, job.options, out);
}

}  // namespace forebay::operators
