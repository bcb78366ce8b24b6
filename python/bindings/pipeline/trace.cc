#include "forebay/base/trace/trace.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/text.h"
#include "forebay/base/trace/wait_report.h"

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
      [](nanobind::handle path) {
        const std::string file = text_from_python(path);
        process_trace().stop();
        check(process_trace().write_json(file));
      },
      nanobind::arg("path"), nanobind::sig("def trace_stop(path: str | bytes) -> None"),
      "Stops recording and writes what was recorded, as trace-event JSON.");
  module.def(
      "trace_report",
      [](int64_t count) {
        return report_waits(process_trace().tasks(), static_cast<size_t>(std::max<int64_t>(count, 0)));
      },
      nanobind::arg("count"), "The longest waits of what was recorded, as text.");
}

}  // namespace forebay::bindings
