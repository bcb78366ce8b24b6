#include "forebay/dataset/files/file_source.h"

#include <utility>

#include "forebay/dataset/files/file_index.h"
#include "forebay/dataset/files/whole_file_source.h"

namespace forebay::dataset {
namespace {

class FileSource final : public WholeFileSource {
 public:
  FileSource(std::shared_ptr<const SampleIndex> index, std::string root, const SourceOptions& options)
      : WholeFileSource(std::move(index), std::move(root), options) {}

  int num_fields() const override { return 2; }

 private:
  Status add_fields(int64_t, const SampleRow& row, std::vector<tensor::Tensor>* fields) const override {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor label,
                             tensor::Tensor::allocate({tensor::Shape{1}, tensor::DType::kInt32, {}}));
    *static_cast<int32_t*>(label.mutable_data()) = static_cast<int32_t>(row.label);
    fields->push_back(std::move(label));
    return ok_status();
  }
};

}  // namespace

const std::vector<std::string>& default_file_filters() {
  // Never destroyed, as is the other one, because threads may outlive the process's statics.
  static const auto* const filters =
      new std::vector<std::string>{"*.jpg", "*.jpeg", "*.png", "*.bmp",  "*.tif",  "*.tiff", "*.pnm", "*.ppm",
                                   "*.pgm", "*.pbm",  "*.jp2", "*.webp", "*.flac", "*.ogg",  "*.wav"};
  return *filters;
}

const std::vector<std::string>& picture_file_filters() {
  static const auto* const filters =
      new std::vector<std::string>(default_file_filters().begin(), default_file_filters().end() - 3);
  return *filters;
}

Status check(const FileSourceOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_listing(options));
  if (!options.labels.empty() && options.labels.size() != options.files.size()) {
    return invalid_argument("{} `labels` are given for {} `files`", options.labels.size(),
                            options.files.size());
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_file_source(const FileSourceOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FolderRules rules;
  rules.file_filters = options.file_filters;
  rules.dir_filters = options.dir_filters;
  rules.is_case_sensitive = options.case_sensitive_filter;
  FOREBAY_ASSIGN_OR_RETURN(FileIndex files, open_file_index(options, options.labels, rules, parse_file_list));
  return std::make_shared<FileSource>(std::move(files.index), std::move(files.root), options);
}

}  // namespace forebay::dataset
