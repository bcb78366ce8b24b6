#include "forebay/pipeline/fuse_actions.h"

namespace forebay::pipeline {

Status fuse_actions(const Graph&, const std::vector<int>&, Phase*) {
  return ok_status();
}

}  // namespace forebay::pipeline
