#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

struct ReadersWebdataset : ReaderArguments {
  std::vector<std::string> paths;
  std::vector<std::string> ext;
  std::vector<std::string> index_paths;
  bool case_sensitive_extensions = true;
  std::string missing_component_behavior = "empty";
  std::vector<int64_t> dtypes;

  Status prepare(const Arguments&) const {
    if (paths.empty() || ext.empty()) {
      return invalid_argument("`paths` and `ext` must each have an entry");
    }
    if (!index_paths.empty() && index_paths.size() != paths.size()) {
      return invalid_argument("{} `index_paths` are given for {} `paths`", index_paths.size(), paths.size());
    }
    if (!dtypes.empty() && dtypes.size() != ext.size()) {
      return invalid_argument("{} `dtypes` are given for {} outputs", dtypes.size(), ext.size());
    }
    for (const int64_t dtype : dtypes) {
      if (dtype < 0 || dtype > static_cast<int64_t>(DType::kBool)) {
        return invalid_argument("{} is not an element type", dtype);
      }
    }
    return check();
  }

  int num_outputs() const { return static_cast<int>(ext.size()); }

  Status run(Sample&) const { return internal_error("a reader is read through its source"); }

  Result<std::shared_ptr<dataset::Source>> open_source() const {
    dataset::WebdatasetOptions options;
    set_source_options(options);
    options.paths = paths;
    options.index_paths = index_paths;
    options.ext = ext;
    options.case_sensitive_extensions = case_sensitive_extensions;
    if (missing_component_behavior == "skip") {
      options.missing_component_behavior = dataset::MissingComponent::kSkip;
    } else if (missing_component_behavior == "error") {
      options.missing_component_behavior = dataset::MissingComponent::kError;
    }
    for (const int64_t dtype : dtypes) {
      options.dtypes.push_back(static_cast<DType>(dtype));
    }
    return dataset::make_webdataset_source(options);
  }
};

OperatorSpec readers_webdataset() {
  using Op = ReadersWebdataset;
  return describe<Op>("readers.webdataset", "Reads samples out of tar archives (WebDataset).")
      .param("paths", &Op::paths, "The archives.")
      .required()
      .param("ext", &Op::ext, "For each output the extensions that fill it, \"jpg;png\".")
      .required()
      .param("index_paths", &Op::index_paths,
             "Index files as wds2idx writes them; else the archives are scanned.")
      .param("case_sensitive_extensions", &Op::case_sensitive_extensions,
             "Extensions tell upper from lower case.")
      .param("missing_component_behavior", &Op::missing_component_behavior,
             "A sample without an output's extension: an `empty` tensor, `skip` the sample, or an `error`.")
      .choices({"", "empty", "skip", "error"})
      .param("dtypes", &Op::dtypes, "Element type of each output; UINT8 when not given.")
      .group([](auto& description) { add_reader_arguments(description); })
      .outputs("One for each entry of `ext`: the member's bytes, as a tensor of rank 1.")
      .matches("DALI fn.readers.webdataset")
      .build();
}

}  // namespace forebay::operators
