#include "forebay/dataset/blocks/block_reads.h"

namespace forebay::dataset {

Status check_block_options(const std::vector<std::string>& path, int64_t block_bytes) {
  if (path.empty()) {
    return invalid_argument("`path` may not be empty");
  }
  if (block_bytes < 1) {
    return invalid_argument("`block_bytes` is {}; it must be positive", block_bytes);
  }
  return ok_status();
}

ReadFlags flags_of_block(const ReadFlags& flags) {
  ReadFlags block = flags;
  block.padding_bytes = 0;
  block.resource = nullptr;
  block.may_be_view = true;
  return block;
}

}  // namespace forebay::dataset
