// SPDX-License-Identifier: Apache-2.0
#include "nodes/port_model.hpp"

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace npl::nodes {

std::size_t ports_of(const std::string& text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > static_cast<std::size_t>(most_receptors))
    throw BadParameter("shape", text, "a number of receptors from 1 to " + std::to_string(most_receptors));
  return n;
}

std::vector<Field> fields_with_ports(std::span<const Field> own, std::size_t at, std::span<const Field> of_port, Ports& shape) {
  std::vector<Field> fields(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(at));
  for (const Field& f : of_port)
    for (std::size_t p = 1; p <= shape.n; ++p) {
      std::string name = f.name;
      fields.push_back(f);
      fields.back().name = shape.keep(name.append("_").append(std::to_string(p)));
    }
  fields.insert(fields.end(), own.begin() + static_cast<std::ptrdiff_t>(at), own.end());
  return fields;
}

void check_ports_in_use(const char* name, double n, std::size_t ports) {
  if (n >= 0.0 && n <= static_cast<double>(ports) && n == std::floor(n)) return;
  throw BadParameter(name, n,
                     "a whole number from 0 to " + std::to_string(ports) + "; a shape gives more receptors: \"model[100]\" has 100");
}

}  // namespace npl::nodes
