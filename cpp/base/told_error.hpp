// SPDX-License-Identifier: Apache-2.0
/// Errors as text, so that a rank can raise the error of another one.
#pragma once
#include <exception>
#include <string>

namespace npl {

/// Kind and data of a BadParameter, BadDelay, BadLength, UnknownName or IllegalConnection; "" for all else, which concerns one rank.
std::string packed(const std::exception_ptr& error);
/// Throws the error that packed() was given. @param text not empty
[[noreturn]] void throw_packed(const std::string& text);

}  // namespace npl
