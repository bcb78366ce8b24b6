#include "forebay/base/file_descriptor.h"

#include <unistd.h>

namespace forebay {

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) {
    close(number_);
  }
}

}  // namespace forebay
