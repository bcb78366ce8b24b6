// Part of every test program: its state is its own, whoever runs it, however often.
#include <stdlib.h>
#include <unistd.h>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay {
namespace {

/// FOREBAY_HOME, for as long as the program runs; removed by the process that made it.
class OwnHome {
 public:
  OwnHome() { ::setenv("FOREBAY_HOME", home_->path().c_str(), 1); }
  ~OwnHome() {
    if (::getpid() == owner_) {
      delete home_;
    }
  }

 private:
  const pid_t owner_ = ::getpid();
  TemporaryDirectory* const home_ = new TemporaryDirectory();
};

const OwnHome own_home;

}  // namespace
}  // namespace forebay
