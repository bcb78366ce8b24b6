#include "forebay/dataset/fits/fits_source.h"

#include <utility>

#include "forebay/dataset/fits/fits_image.h"
#include "forebay/dataset/index/parsed_source.h"

namespace forebay::dataset {
namespace {

Result<std::vector<tensor::Tensor>> images_of(const FitsOptions& options, Bytes file) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<FitsUnit> units, find_fits_units(file, options.hdu_indices));
  std::vector<tensor::Tensor> images;
  for (size_t i = 0; i < units.size(); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor image, fits_image(file, units[i]));
    if (!options.dtypes.empty() && options.dtypes[i] != image.dtype()) {
      return data_loss("unit {} is of {}, not of {} as asked for", options.hdu_indices[i],
                       tensor::name_of(image.dtype()), tensor::name_of(options.dtypes[i]));
    }
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace

Status check(const FitsOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_listing(options));
  if (options.hdu_indices.empty()) {
    return invalid_argument("`hdu_indices` may not be empty");
  }
  for (const int64_t number : options.hdu_indices) {
    if (number < 1) {
      return invalid_argument("{} is no unit of a file; the first one is 1", number);
    }
  }
  if (!options.dtypes.empty() && options.dtypes.size() != options.hdu_indices.size()) {
    return invalid_argument("{} `dtypes` are given for {} `hdu_indices`", options.dtypes.size(),
                            options.hdu_indices.size());
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_fits_source(const FitsOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_ASSIGN_OR_RETURN(
      FileIndex files, open_file_index(options, {}, root_and_folders(options.file_filter), parse_path_list));
  ParsedSourceParts parts;
  parts.index = std::move(files.index);
  parts.root = std::move(files.root);
  parts.num_fields = static_cast<int>(options.hdu_indices.size());
  parts.reads_whole_objects = true;
  parts.parse = [options](const SampleRow&, const storage::ReadBytes& read) {
    return images_of(options, read.bytes);
  };
  return make_parsed_source(std::move(parts), options);
}

}  // namespace forebay::dataset
