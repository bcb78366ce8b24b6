#include "forebay/dataset/fits/fits_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersFits : Reader<dataset::FitsOptions, dataset::make_fits_source> {
  int num_outputs() const { return static_cast<int>(hdu_indices.size()); }
};

OperatorSpec readers_fits() {
  using Op = ReadersFits;
  return describe<Op>("experimental.readers.fits", "Reads images out of FITS files.")
      .group(add_listing<Op>)
      .param("file_filter", &Op::file_filter,
             "Glob pattern: which files of file_root and its subfolders are read.")
      .param("hdu_indices", &Op::hdu_indices, "Which units of each file are read; the first one is 1.")
      .param("dtypes", &Op::dtypes,
             "The element types that they must have; whatever they have when not given.")
      .group(add_reader_arguments<Op>)
      .outputs(
          "One for each of `hdu_indices`, in C order: the type that is stored; unsigned where BZERO says so; "
          "floats where BSCALE and BZERO scale.")
      .matches("DALI fn.experimental.readers.fits")
      .build();
}

}  // namespace forebay::operators
