// Links the installed library and asks it for something that only works if all of it is there: a graph by the
// functions of fn.h, and one that names an operator which is not there.
#include <cstdio>
#include <string>
#include <type_traits>

#include "forebay/base/random/permutation.h"
#include "forebay/fn.h"
#include "forebay/pipeline/pipeline.h"

static_assert(!std::is_constructible_v<decltype(forebay::fn::ResizeArguments::size), const char*>);

int main() {
  forebay::Pipeline flips({.batch_size = 2, .num_threads = 1, .seed = 1});
  flips.set_outputs({forebay::fn::random::coin_flip(flips) / 255.f});
  if (!flips.build().ok() || !flips.run().ok()) {
    return 1;
  }
  forebay::Pipeline pipe({.batch_size = 2, .num_threads = 1, .seed = 1});
  const auto nodes = pipe.add("no_such_operator", {}, {});
  const forebay::Status status = pipe.build();
  const std::string text(forebay::message(status));
  std::printf("%s\n", text.c_str());
  return !status.ok() && text.find("no_such_operator") != std::string::npos ? 0 : 1;
}
