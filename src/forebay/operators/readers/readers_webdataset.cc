#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {

template <>
struct ParameterTraits<dataset::MissingComponent> {
  static constexpr ArgumentKind kKind = ArgumentKind::kString;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(dataset::MissingComponent) { return "empty"; }
  static Result<dataset::MissingComponent> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string name, to_text(value));
    return name == "skip"    ? dataset::MissingComponent::kSkip
           : name == "error" ? dataset::MissingComponent::kError
                             : dataset::MissingComponent::kEmpty;
  }
};

struct ReadersWebdataset : Reader<dataset::WebdatasetOptions, dataset::open_webdataset_source> {
  int num_outputs() const { return static_cast<int>(ext.size()); }
};

OperatorSpec readers_webdataset() {
  using Op = ReadersWebdataset;
  return describe<Op>("readers.webdataset", "Reads samples out of tar archives (WebDataset).")
      .param("paths", &Op::paths,
             "The archives, which may not be compressed as a whole. A name may stand for several: "
             "s-{000..099}.tar in "
             "that order, {a,b}.tar, s-*.tar and s-[0-4].tar sorted.")
      .required()
      .param("ext", &Op::ext,
             "For each output the extensions that fill it, \"jpg;png\", or \"__key__\" for the name that the "
             "members of the sample share, in bytes. An output that no sample at all could fill is an error, "
             "which lists the extensions there are; of archives that are far, once all are known.")
      .required()
      .param("index_paths", &Op::index_paths,
             "Index files as wds2idx writes them, named in the same ways; else the archives are scanned.")
      .param("case_sensitive_extensions", &Op::case_sensitive_extensions,
             "Extensions tell upper from lower case.")
      .param("missing_component_behavior", &Op::missing_component_behavior,
             "A sample without an output's extension: an `empty` tensor, `skip` the sample, or an `error`.")
      .choices({"", "empty", "skip", "error"})
      .param("dtypes", &Op::dtypes,
             "Element type of each output; UINT8, which is the member's bytes, when not given. Of another "
             "type are numbers in binary; but of an output of `cls`, with a type of more than one byte, the "
             "number that its digits say, in shape [1].")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs(
          "One for each entry of `ext`: the member's bytes, or numbers (`dtypes`), as a tensor of rank 1. A "
          "member of `json` stays bytes, which `json.loads(bytes(sample))` reads.")
      .matches("DALI fn.readers.webdataset")
      .build();
}

}  // namespace forebay::operators
