// The one class that was set, for the life of the process.
#include "bindings/exchange/own_class.h"

namespace forebay::bindings {
namespace {

OwnClass& the_own_class() {
  static OwnClass own{};
  return own;
}

}  // namespace

void set_own_class(const OwnClass& own) {
  the_own_class() = own;
}

const OwnClass* own_class_of(nb::handle object) {
  const OwnClass& own = the_own_class();
  return own.is_one != nullptr && own.is_one(object) ? &own : nullptr;
}

}  // namespace forebay::bindings
