// SPDX-License-Identifier: Apache-2.0
/// Time to translate an address in an arriving spike to its part and row. Argument: parts (slices times tables) of the rank.
#include <benchmark/benchmark.h>

#include <random>

#include "exchange/address_book.hpp"

namespace npl::exchange {
namespace {

constexpr std::size_t n_senders = 64, rows_per_part = 100, n_spikes = 1 << 16;

AddressBook book_of(std::size_t parts, std::mt19937& random) {
  AddressBook book(parts);
  std::vector<std::uint32_t> counts(parts);
  for (std::size_t s = 0; s < n_senders; ++s) {
    for (auto& c : counts) c = random() % (2 * rows_per_part);
    book.add(counts);
  }
  book.finish();
  return book;
}

void translate(benchmark::State& state) {
  std::mt19937 random(1);
  const auto parts = static_cast<std::size_t>(state.range(0));
  const AddressBook book = book_of(parts, random);
  std::vector<std::uint64_t> addresses(n_spikes);
  for (auto& a : addresses) a = random() % (rows_per_part * parts * 9 / 10);
  AddressBook::Reader reader(book);
  reader.go_to(n_senders / 2);
  AddressBook::Row row{};
  for (auto _ : state)
    for (const std::uint64_t a : addresses) {
      benchmark::DoNotOptimize(reader.find(a, row));
      benchmark::DoNotOptimize(row);
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * n_spikes));
}
BENCHMARK(translate)->Name("translate_address")->Arg(1)->Arg(4)->Arg(16)->Arg(64)->Arg(256)->Arg(1024);

}  // namespace
}  // namespace npl::exchange
