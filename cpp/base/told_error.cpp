// SPDX-License-Identifier: Apache-2.0
#include "base/told_error.hpp"

#include <cstdlib>
#include <stdexcept>
#include <typeinfo>
#include <vector>

#include "base/error.hpp"

namespace npl {
namespace {

using Fields = std::vector<std::string>;

/// One letter for the kind; then each field after its length.
std::string joined(char kind, const Fields& fields) {
  std::string text(1, kind);
  for (const std::string& f : fields) text += std::to_string(f.size()) + ':' + f;
  return text;
}

Fields split(const std::string& text) {
  Fields fields;
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t colon = text.find(':', at);
    if (colon == std::string::npos) throw std::logic_error("an error of another rank has no fields");
    const auto length = static_cast<std::size_t>(std::strtoull(text.c_str() + at, nullptr, 10));
    fields.push_back(text.substr(colon + 1, length));
    at = colon + 1 + length;
  }
  return fields;
}

std::size_t size_in(const std::string& field) { return static_cast<std::size_t>(std::strtoull(field.c_str(), nullptr, 10)); }

/// "" for classes derived from these, which have data of their own.
std::string packed(const Error& e) {
  const std::type_info& type = typeid(e);
  if (const auto* p = dynamic_cast<const BadParameter*>(&e))
    if (type == typeid(BadParameter) || type == typeid(BadDelay))
      return joined(type == typeid(BadDelay) ? 'D' : 'P', {p->parameter, p->value, p->allowed});
  if (const auto* l = dynamic_cast<const BadLength*>(&e))
    return joined('L', {l->parameter, std::to_string(l->length), std::to_string(l->wanted)});
  if (const auto* u = dynamic_cast<const UnknownName*>(&e)) {
    Fields fields{u->kind, u->name};
    fields.insert(fields.end(), u->near.begin(), u->near.end());
    return joined('U', fields);
  }
  if (type == typeid(IllegalConnection)) return joined('I', {e.what()});
  return "";
}

}  // namespace

std::string packed(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& e) {
    return packed(e);
  } catch (...) {}
  return "";
}

void throw_packed(const std::string& text) {
  const Fields f = split(text);
  switch (text.front()) {
    case 'P': throw BadParameter(f.at(0), f.at(1), f.at(2));
    case 'D': throw BadDelay(f.at(0), f.at(1), f.at(2));
    case 'L': throw BadLength(f.at(0), size_in(f.at(1)), size_in(f.at(2)));
    case 'U': throw UnknownName(f.at(0), f.at(1), Fields(f.begin() + 2, f.end()));
    default: throw IllegalConnection(f.at(0));
  }
}

}  // namespace npl
