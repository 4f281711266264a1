// SPDX-License-Identifier: Apache-2.0
/// CRC-32 as zip files and zlib have it (polynomial 0x04C11DB7, bits reversed), some ten times faster than zlib where the processor
/// multiplies without carries.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace npl {

/// Checksum of bytes. @param before checksum of the bytes before these; 0: none
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The same by tables, for processors without that instruction and for tests.
std::uint32_t crc32_by_tables(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace npl
