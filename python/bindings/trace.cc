#include "forebay/base/trace.h"

#include <nanobind/stl/string.h>

#include "bindings/bindings.h"
#include "bindings/errors.h"

namespace forebay::bindings {

void bind_trace(nanobind::module_& module) {
  module.def(
      "trace_start",
      [] {
        process_trace().clear();
        process_trace().start();
      },
      "Forgets what was recorded and records from now on.");
  module.def(
      "trace_stop",
      [](const std::string& path) {
        process_trace().stop();
        check(process_trace().write_json(path));
      },
      nanobind::arg("path"), "Stops recording and writes what was recorded, as trace-event JSON.");
}

}  // namespace forebay::bindings
