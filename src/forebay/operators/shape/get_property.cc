// get_property: what is known about a tensor besides its content, as bytes.
#include <algorithm>
#include <string_view>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct GetProperty {
  std::string key;

  Status run(Sample& sample) const {
    const Layout layout = sample.input(0).layout();
    const std::string_view text = key == "layout" ? layout.view() : sample.identity().origin.object;
    const TensorSpec spec{Shape{static_cast<int64_t>(text.size())}, DType::kUint8, {}};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    std::ranges::copy(text, static_cast<char*>(out.data));
    return ok_status();
  }
};

}  // namespace

OperatorSpec get_property() {
  return describe<GetProperty>("get_property", "Gives what is known about a tensor beside its content.")
      .input("data", "Any tensor; its content is not read.")
      .param("key", &GetProperty::key,
             "\"source_info\": the object that the sample was read from, empty for samples that were fed; "
             "\"layout\": the names of the axes.")
      .required()
      .choices({"source_info", "layout"})
      .outputs("The property's characters, uint8.")
      .matches("DALI get_property")
      .build();
}

}  // namespace forebay::operators
