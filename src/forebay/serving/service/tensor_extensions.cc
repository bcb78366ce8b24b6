// Classification and shared memory as the gRPC door asks for them: what the HTTP door uses too.
#include "forebay/serving/service/tensor_extensions.h"

#include <utility>

#include "forebay/serving/protocol/classify.h"

namespace forebay::serving {
namespace {

RegionState state_of(const SharedRegion& region) {
  return {region.name, region.key, region.offset_bytes, region.size_bytes};
}

Result<std::vector<RegionState>> states_of(const SharedRegions& regions, const std::string& name) {
  std::vector<RegionState> states;
  if (!name.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const SharedRegion region, regions.find(name));
    states.push_back(state_of(region));
    return states;
  }
  for (const SharedRegion& region : regions.all()) {
    states.push_back(state_of(region));
  }
  return states;
}

}  // namespace

TensorExtensions tensor_extensions(const std::shared_ptr<SharedRegions>& regions) {
  TensorExtensions extensions;
  extensions.classify = [](const NamedTensor& output, int64_t count, const ModelMetadata& model) {
    return classify_output(output, count, &model);
  };
  if (regions == nullptr) {
    return extensions;
  }
  extensions.read_place = [regions](const SharedPlace& place, NamedTensor& input) {
    return regions->read(place, input);
  };
  extensions.write_place = [regions](const SharedPlace& place, Bytes bytes) {
    return regions->write(place, bytes);
  };
  extensions.add_region = [regions](const RegionState& region) {
    return regions->add({region.name, region.key, region.offset_bytes, region.size_bytes});
  };
  extensions.remove_region = [regions](const std::string& name) {
    if (name.empty()) {
      regions->remove_all();
    } else {
      regions->remove(name);
    }
    return ok_status();
  };
  extensions.regions = [regions](const std::string& name) { return states_of(*regions, name); };
  return extensions;
}

}  // namespace forebay::serving
