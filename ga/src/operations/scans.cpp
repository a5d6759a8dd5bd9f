// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <optional>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/core/reduce_values.hpp>

#include "base/dispatch.hpp"
#include "base/made_in_memory.hpp"
#include "base/patch_text.hpp"
#include "base/vector_share.hpp"
#include "format.hpp"

// Prefix operations on vectors: each rank works on an even share, and takes over the result of the shares
// before it.
namespace tessera::detail {
namespace {

void require_vectors(std::string_view operation, Slices slices) {
  const SliceCore& first = *slices.begin();
  for (const SliceCore& a : slices) {
    if (a.rank() == 1 && a.extents()[0] == first.extents()[0]) continue;
    throw UsageError(formatted("{}: {} of extents {} and {} of extents {} are not vectors of one length",
                               operation, first.description(),
                               extents_text(first.extents().data(), first.rank()), a.description(),
                               extents_text(a.extents().data(), a.rank())));
  }
}

void require_type(std::string_view operation, const SliceCore& a, const SliceCore& b) {
  if (a.type() == b.type()) return;
  throw UsageError(formatted("{}: {} is of {} and {} of {}", operation, a.description(), to_string(a.type()),
                             b.description(), to_string(b.type())));
}

// Which elements of a share are marked by an integer other than 0.
std::vector<char> marks(std::string_view operation, const SliceCore& mask, const VectorShare& share) {
  std::vector<char> marked(static_cast<std::size_t>(share.size()));
  with_kind(mask.type().kind, operation, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      const auto values = share.get<T>(mask);
      std::transform(values.begin(), values.end(), marked.begin(),
                     [](T x) { return static_cast<char>(x != 0); });
    } else {
      throw UsageError(formatted("{}: the marks in {} are not integers", operation, mask.description()));
    }
  });
  return marked;
}

// What a share passes on to all shares that follow it.
template <class T>
struct Carry {
  T value;
  std::int32_t starts;
};

}  // namespace

void scan(const SliceCore& x, const SliceCore* starts, const SliceCore& y, Reduce operation, Scan kind) {
  const char* name = starts == nullptr ? "scan" : "segmented_scan";
  begin_operation(name, {x, starts == nullptr ? x : *starts, y}, Shapes::any, Types::any);
  require_vectors(name, {x, starts == nullptr ? x : *starts, y});
  require_type(name, x, y);
  const VectorShare share(x);
  with_kind(x.type().kind, name, [&]<class T>(T) {
    combine(operation, identity<T>(operation),
            identity<T>(operation));  // throws alike if no rank has elements
    using S = sum_t<T>;
    auto [elements, first] = made_in_memory(x.array().group(), name, [&] {
      auto own = share.get<T>(x);
      auto marked = starts == nullptr ? std::vector<char>(own.size(), 0) : marks(name, *starts, share);
      return std::pair(std::move(own), std::move(marked));
    });
    Carry<S> mine{identity<S>(operation), 0};
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (first[i] != 0) mine = {identity<S>(operation), 1};
      mine.value = combine(operation, mine.value, static_cast<S>(elements[i]));
    }
    // After this all_gather all ranks have read their elements, so y may be x.
    S before = identity<S>(operation);
    const auto all = x.array().group().all_gather(mine);
    for (int r = 0; r < x.array().group().rank(); ++r) {
      const Carry<S>& next = all[static_cast<std::size_t>(r)];
      before = next.starts != 0 ? next.value : combine(operation, before, next.value);
    }
    // Rounded only here, so that the results do not depend on how many shares there are.
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (first[i] != 0) before = identity<S>(operation);
      const S with = combine(operation, before, static_cast<S>(elements[i]));
      elements[i] = static_cast<T>(kind == Scan::exclusive ? before : with);
      before = with;
    }
    share.put(y, elements.data());
  });
  end_operation(y);
}

void spread(const SliceCore& x, const SliceCore& starts, const SliceCore& y) {
  begin_operation("spread", {x, starts, y}, Shapes::any, Types::any);
  require_vectors("spread", {x, starts, y});
  require_type("spread", x, y);
  const VectorShare share(x);
  const auto size = static_cast<std::size_t>(x.type().size);
  std::vector<std::byte> elements, result;
  const auto first = made_in_memory(x.array().group(), "spread", [&] {
    elements.resize(static_cast<std::size_t>(share.size()) * size);
    result.resize(elements.size());
    share.get_into(x, elements.data());
    share.get_into(y, result.data());  // elements before the very first mark stay
    return marks("spread", starts, share);
  });
  const auto none = first.end();
  const auto last = std::find(first.rbegin(), first.rend(), 1);
  const index_t mine =
      last == first.rend() ? -1 : share.lo + (none - first.begin()) - 1 - (last - first.rbegin());
  std::vector<std::byte> current(size);
  index_t source = -1;
  const auto all = x.array().group().all_gather(mine);
  for (int r = 0; r < x.array().group().rank(); ++r)
    source = std::max(source, all[static_cast<std::size_t>(r)]);
  if (source >= 0) {
    const index_t one = 1;
    x.get({{source}, {source + 1}}, {current.data(), &one, &one});
  }
  x.array().group().barrier();  // y may be x, whose elements others still read
  bool known = source >= 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != 0) {
      std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(i * size), size, current.begin());
      known = true;
    }
    if (known) std::copy_n(current.begin(), size, result.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  share.put(y, result.data());
  end_operation(y);
}

namespace {

// How many elements are marked in all, and before this rank's share.
struct Marked {
  index_t all = 0, before = 0, mine;
  Marked(const Group& group, const std::vector<char>& marked)
      : mine(static_cast<index_t>(std::count(marked.begin(), marked.end(), 1))) {
    const auto counts = group.all_gather(mine);
    for (int r = 0; r < group.size(); ++r) {
      if (r < group.rank()) before += counts[static_cast<std::size_t>(r)];
      all += counts[static_cast<std::size_t>(r)];
    }
  }
};

void require_packed(std::string_view operation, const SliceCore& packed, const Marked& marked) {
  if (packed.rank() == 1 && packed.extents()[0] >= marked.all) return;
  throw UsageError(formatted("{}: {} elements are marked, and {} of extents {} is no vector of as many",
                             operation, marked.all, packed.description(),
                             extents_text(packed.extents().data(), packed.rank())));
}

}  // namespace

index_t pack(const SliceCore& x, const SliceCore& mask, const SliceCore& y) {
  begin_operation("pack", {x, mask, y}, Shapes::any, Types::any);
  require_vectors("pack", {x, mask});
  require_type("pack", x, y);
  require_apart("pack", y, std::span(&x, 1));
  const VectorShare share(x);
  const auto size = static_cast<std::size_t>(x.type().size);
  std::vector<std::byte> elements;
  const auto marked = made_in_memory(x.array().group(), "pack", [&] {
    elements.resize(static_cast<std::size_t>(share.size()) * size);
    share.get_into(x, elements.data());
    return marks("pack", mask, share);
  });
  const Marked count(x.array().group(), marked);
  require_packed("pack", y, count);
  auto next = elements.begin();
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == 0) continue;
    const auto element = elements.begin() + static_cast<std::ptrdiff_t>(i * size);
    next = std::copy(element, element + static_cast<std::ptrdiff_t>(size), next);
  }
  const index_t stride = 1;
  y.put({{count.before}, {count.before + count.mine}}, {elements.data(), &count.mine, &stride});
  end_operation(y);
  return count.all;
}

index_t unpack(const SliceCore& x, const SliceCore& mask, const SliceCore& y) {
  begin_operation("unpack", {x, mask, y}, Shapes::any, Types::any);
  require_vectors("unpack", {mask, y});
  require_type("unpack", x, y);
  const VectorShare share(y);
  const auto size = static_cast<std::size_t>(x.type().size);
  std::vector<std::byte> packed, elements;
  const auto marked = made_in_memory(y.array().group(), "unpack", [&] {
    auto found = marks("unpack", mask, share);
    packed.resize(static_cast<std::size_t>(std::count(found.begin(), found.end(), 1)) * size);
    elements.resize(static_cast<std::size_t>(share.size()) * size);
    return found;
  });
  const Marked count(y.array().group(), marked);
  require_packed("unpack", x, count);
  const index_t stride = 1;
  x.get({{count.before}, {count.before + count.mine}}, {packed.data(), &count.mine, &stride});
  share.get_into(y, elements.data());
  auto next = packed.begin();
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == 0) continue;
    std::copy_n(next, size, elements.begin() + static_cast<std::ptrdiff_t>(i * size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  y.array().group().barrier();  // y may be x
  share.put(y, elements.data());
  end_operation(y);
  return count.all;
}

}  // namespace tessera::detail
