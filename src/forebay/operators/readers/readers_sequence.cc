#include "forebay/dataset/files/sequence_source.h"
#include "forebay/operators/readers/reader_arguments.h"
#include "forebay/operators/types.h"

namespace forebay::operators {

struct ReadersSequence : Reader<dataset::SequenceOptions, dataset::make_sequence_source> {
  int num_outputs() const { return static_cast<int>(sequence_length); }
};

OperatorSpec readers_sequence() {
  using Op = ReadersSequence;
  return describe<Op>("readers.sequence",
                      "Reads sequences of pictures that are frames of videos, a folder each.")
      .param("file_root", &Op::file_root, "The folder of the videos' folders.")
      .required()
      .param("sequence_length", &Op::sequence_length, "How many frames a sequence has.")
      .required()
      .param("step", &Op::step, "From the first frame of a sequence to that of the next.")
      .param("stride", &Op::stride, "From frame to frame in a sequence.")
      .ignored("image_type", ImageType::kRGB, "The colours that Python's function decodes frames to.")
      .group(add_reader_arguments<Op>)
      .outputs("In Python the sequence, FHWC; else the encoded bytes of each frame, uint8.")
      .matches("DALI fn.readers.sequence")
      .build();
}

}  // namespace forebay::operators
