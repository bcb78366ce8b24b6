// io.file.read: the bytes of files that tensors name.
#include "forebay/memory/copy.h"
#include "forebay/operators/describe.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::operators {
namespace {

struct IoFileRead {
  Status run(Sample& sample) const {
    const Tensor& name = sample.input(0);
    if ((name.dtype() != DType::kUint8 && name.dtype() != DType::kInt8) || name.shape().rank() != 1) {
      return invalid_argument("a path is needed, uint8 of one axis, not {}", name.spec().to_string());
    }
    std::string path(static_cast<const char*>(name.data()), name.size_bytes());
    path.erase(path.find_last_not_of('\0') + 1);  // zeros that made the paths of a batch equally long
    if (path.empty()) {
      return invalid_argument("an empty path");
    }
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress file, storage::default_registry().resolve(path));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat, storage::stat_now(*file.store, file.key));
    FOREBAY_RETURN_IF_ERROR(sample.reserve(stat.size_bytes));
    storage::ReadRequest request;
    request.key = file.key;
    request.if_version = stat.version;
    request.object_bytes = stat.size_bytes;
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*file.store, std::move(request)));
    FOREBAY_ASSIGN_OR_RETURN(
        const MutableTensorView out,
        sample.output(0, {{static_cast<int64_t>(read.size_bytes())}, DType::kUint8, {}}));
    memory::copy(out.data, read.bytes.data(), read.size_bytes());
    return ok_status();
  }
};

}  // namespace

OperatorSpec io_file_read() {
  return describe<IoFileRead>("io.file.read", "Reads the files, of any store, that tensors name.")
      .input("filepaths", "Paths or URIs, the bytes of each a tensor.")
      .ignored("dont_use_mmap", false)
      .ignored("use_o_direct", false)
      .outputs("The file's bytes, uint8.")
      .matches("DALI fn.io.file.read")
      .build();
}

}  // namespace forebay::operators
