// A CRUSH map as `crushtool -d` and `ceph osd crush` write it: devices, types, buckets, rules, tunables.
//
// Layer: format. Read as it stands; what Arcwise's recipe cannot express is refused in crushmap.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

struct CrushText {
  struct Item {
    Mark at;
    std::string name;
    double weight = 0;
  };
  struct Device {
    Mark at;
    std::uint32_t id = 0;
    std::string device_class;
  };
  struct Bucket {
    Mark at;
    std::string type, name, alg;
    std::int32_t id = 0;
    std::map<std::string, std::int32_t, std::less<>> class_ids;  ///< of the shadow of each class
    std::vector<Item> items;
  };
  struct Step {
    Mark at;
    std::vector<std::string> words;  ///< behind `step`
  };
  struct Rule {
    Mark at;
    std::string name, type;
    std::vector<Step> steps;
  };
  std::map<std::string, std::uint64_t, std::less<>> tunables;
  std::map<std::string, Device, std::less<>> devices;
  std::map<std::string, std::uint32_t, std::less<>> types;
  std::map<std::string, Bucket, std::less<>> buckets;
  std::vector<Rule> rules;
};

Result<CrushText> read_crushmap(const Source& source);

}  // namespace arcwise
