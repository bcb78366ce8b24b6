// decoders.inflate: tensors that were compressed whole, or in chunks of equal shape (LZ4 blocks).
#include <lz4.h>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// A compressed chunk in the input.
struct Chunk {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

Result<uint64_t> place_of(int64_t number, std::string_view name) {
  if (number < 0) {
    return invalid_argument("{} has the negative entry {}", name, number);
  }
  return static_cast<uint64_t>(number);
}

/// Where the chunks are: packed densely as far as offsets or sizes are not given.
Result<std::vector<Chunk>> chunks_of(std::span<const int64_t> offsets, std::span<const int64_t> sizes,
                                     uint64_t input_bytes) {
  if (!offsets.empty() && !sizes.empty() && offsets.size() != sizes.size()) {
    return invalid_argument("{} chunk_offsets are given with {} chunk_sizes", offsets.size(), sizes.size());
  }
  std::vector<Chunk> chunks(std::max(offsets.size(), sizes.size()));
  uint64_t end = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    Chunk& chunk = chunks[i];
    chunk.offset_bytes = end;
    if (!offsets.empty()) {
      FOREBAY_ASSIGN_OR_RETURN(chunk.offset_bytes, place_of(offsets[i], "chunk_offsets"));
    }
    uint64_t next = input_bytes;
    if (!sizes.empty()) {
      FOREBAY_ASSIGN_OR_RETURN(chunk.size_bytes, place_of(sizes[i], "chunk_sizes"));
      next = chunk.offset_bytes + std::min(chunk.size_bytes, input_bytes + 1);
    } else if (i + 1 < chunks.size()) {
      FOREBAY_ASSIGN_OR_RETURN(next, place_of(offsets[i + 1], "chunk_offsets"));
    }
    if (chunk.offset_bytes > input_bytes || next > input_bytes || next < chunk.offset_bytes) {
      return invalid_argument("chunk {}, [{}, {}), is not inside the input of {} bytes", i,
                              chunk.offset_bytes, next, input_bytes);
    }
    chunk.size_bytes = next - chunk.offset_bytes;
    end = next;
  }
  return chunks;
}

Status inflate_lz4(Bytes chunk, MutableBytes destination) {
  if (chunk.size() > LZ4_MAX_INPUT_SIZE || destination.size() > LZ4_MAX_INPUT_SIZE) {
    return invalid_argument("a chunk of {} bytes for {}; LZ4 holds at most {}", chunk.size(),
                            destination.size(), LZ4_MAX_INPUT_SIZE);
  }
  char nothing = 0;  // where a chunk without elements goes
  const int made =
      ::LZ4_decompress_safe(reinterpret_cast<const char*>(chunk.data()),
                            destination.empty() ? &nothing : reinterpret_cast<char*>(destination.data()),
                            static_cast<int>(chunk.size()), static_cast<int>(destination.size()));
  if (made < 0) {
    return data_loss("no LZ4 block, or one that is longer than the {} bytes of its shape",
                     destination.size());
  }
  if (static_cast<size_t>(made) != destination.size()) {
    return data_loss("an LZ4 block of {} bytes where its shape has {}", made, destination.size());
  }
  return ok_status();
}

struct DecodersInflate {
  std::string algorithm = "LZ4";
  Arg<std::vector<int64_t>> shape;
  DType dtype = DType::kUint8;
  Arg<std::vector<int64_t>> chunk_offsets;
  Arg<std::vector<int64_t>> chunk_sizes;
  LayoutName layout;
  LayoutName sequence_axis_name = {"F"};

  Status prepare(const Arguments&) const {
    if (dtype == DType::kNone) {
      return invalid_argument("`dtype` is no element type");
    }
    return sequence_axis_name.names.size() == 1
               ? ok_status()
               : invalid_argument("sequence_axis_name is '{}'; it names one axis", sequence_axis_name.names);
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (in.dtype() != DType::kUint8 || in.shape().rank() != 1) {
      return invalid_argument("compressed bytes are needed, uint8 of one axis, not {}",
                              in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec chunk, chunk_spec(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers offsets, chunk_offsets.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers sizes, chunk_sizes.values(sample));
    const bool is_sequence = chunk_offsets.is_given() || chunk_sizes.is_given();
    std::vector<Chunk> chunks{{0, in.size_bytes()}};
    if (is_sequence) {
      FOREBAY_ASSIGN_OR_RETURN(chunks, chunks_of(offsets, sizes, in.size_bytes()));
    }
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec whole,
                             is_sequence ? sequence_spec(chunk, chunks.size()) : Result<TensorSpec>(chunk));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, whole));
    const size_t chunk_bytes = chunk.size_bytes();
    return sample.try_parallel_for(static_cast<int64_t>(chunks.size()), [&](int64_t i) {
      const Chunk& from = chunks[static_cast<size_t>(i)];
      return inflate_lz4(in.bytes().subspan(from.offset_bytes, from.size_bytes),
                         out.bytes().subspan(static_cast<size_t>(i) * chunk_bytes, chunk_bytes));
    });
  }

 private:
  Result<TensorSpec> chunk_spec(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers extents, shape.values(sample));
    if (extents.size() >= tensor::kMaxRank) {
      return invalid_argument("a shape of {} axes; fewer than {} are possible", extents.size(),
                              tensor::kMaxRank);
    }
    const TensorSpec spec{Shape(extents), dtype, Layout(std::string_view(layout.names))};
    if (!spec.shape.checked_volume() || *spec.shape.checked_volume() > LZ4_MAX_INPUT_SIZE) {
      return invalid_argument("a chunk of shape {} is no block of LZ4", spec.shape.to_string());
    }
    if (!layout.names.empty() && layout.names.size() != extents.size()) {
      return invalid_argument("the layout '{}' does not fit the shape {}", layout.names,
                              spec.shape.to_string());
    }
    return spec;
  }

  Result<TensorSpec> sequence_spec(const TensorSpec& chunk, size_t count) const {
    TensorSpec spec{{static_cast<int64_t>(count)}, dtype, {}};
    for (const int64_t extent : chunk.shape.extents()) {
      spec.shape.push_back(extent);
    }
    if (!layout.names.empty()) {
      spec.layout = Layout(std::string_view(sequence_axis_name.names + layout.names));
    }
    return spec;
  }
};

}  // namespace

OperatorSpec decoders_inflate() {
  using Op = DecodersInflate;
  return describe<Op>("decoders.inflate",
                      "Decompresses tensors that were compressed whole or chunk by chunk.")
      .input("input", "Compressed bytes, uint8.")
      .param("shape", &Op::shape, "The shape of the tensor, or of each chunk.")
      .required()
      .param("algorithm", &Op::algorithm, "LZ4: blocks as LZ4_compress_default makes them, without a frame.")
      .choices({"LZ4"})
      .param("dtype", &Op::dtype, "Element type of the output.")
      .param("chunk_offsets", &Op::chunk_offsets,
             "Where chunks begin in the input; else each begins where the one before ends.")
      .param("chunk_sizes", &Op::chunk_sizes,
             "How long chunks are; else each ends where the next one begins, the last with the input.")
      .param("layout", &Op::layout, "Layout of the tensor, or of a chunk.")
      .param("sequence_axis_name", &Op::sequence_axis_name, "Name of the axis that counts chunks.")
      .ignored("check_output_size", false, "Accepted for compatibility; sizes are always checked.")
      .outputs("The tensor; of chunks, all of them along a new first axis.")
      .matches("DALI fn.decoders.inflate")
      .build();
}

}  // namespace forebay::operators
