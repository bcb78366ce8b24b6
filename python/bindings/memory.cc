#include "forebay/memory/copy.h"

#include "bindings/bindings.h"
#include "forebay/base/metrics.h"

namespace forebay::bindings {

void bind_memory(nanobind::module_& module) {
  module.def("bytes_copied", &memory::bytes_copied, "Bytes that this process has copied in bulk so far.");
  module.def(
      "count_copied", [](uint64_t bytes) { counter("bytes_copied").add(bytes); }, nanobind::arg("bytes"),
      "Counts bytes that NumPy copied on the library's behalf.");
}

}  // namespace forebay::bindings
