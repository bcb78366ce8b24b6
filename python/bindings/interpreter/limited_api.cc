#include "bindings/interpreter/limited_api.h"

#include "bindings/interpreter/text.h"

namespace forebay::bindings {

namespace nb = nanobind;

std::string type_name_of(nb::handle object) {
  const nb::handle type = object.type();
  const std::string name = printed(nb::getattr(type, "__qualname__", nb::str("?")));
  const std::string module = printed(nb::getattr(type, "__module__", nb::str("builtins")));
  return module == "builtins" ? name : module + "." + name;
}

}  // namespace forebay::bindings
