#include "forebay/base/caught.h"

#include <cxxabi.h>

#include <exception>
#include <new>

namespace forebay {

Status status_of_exception() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const ThrownStatus& thrown) {
    return thrown.status();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("out of memory");
  } catch (const std::exception& error) {
    return internal_error("exception: {}", error.what());
  } catch (...) {
    return internal_error("an exception that is not a std::exception");
  }
}

}  // namespace forebay
