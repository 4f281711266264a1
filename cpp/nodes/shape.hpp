// SPDX-License-Identifier: Apache-2.0
/// What neurons of a model may differ in beside parameters: the number of receptors, a tree of compartments. It settles which parameters,
/// state variables and receptors they have, so each shape is a ModelInfo of its own, called "name[shape]": made when first asked for, by
/// the same text on all ranks and in checkpoints.
#pragma once
#include <deque>
#include <string>

namespace npl::nodes {

struct Shape {
  virtual ~Shape() = default;
  /// Keeps the name of a Field.
  const char* keep(std::string name) { return names_.emplace_back(std::move(name)).c_str(); }

 private:
  std::deque<std::string> names_;  // addresses stay
};

/// A number of ports, receptors that are chosen by number (ports.hpp).
struct Ports : Shape {
  explicit Ports(std::size_t number) : n(number) {}
  const std::size_t n;
};

/// The name of the model without its shape.
inline std::string family_of(const std::string& name) { return name.substr(0, name.find('[')); }
/// The text of the shape; "": none.
inline std::string shape_text(const std::string& name) {
  const auto begin = name.find('[');
  return begin == std::string::npos ? "" : name.substr(begin + 1, name.size() - begin - 2);
}

}  // namespace npl::nodes
