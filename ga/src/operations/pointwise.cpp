// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/dispatch.hpp"
#include "base/philox.hpp"
#include "format.hpp"

// Operations that treat each element by itself.
namespace tessera::detail {
namespace {

// A quotient. For an integer divided by 0 it is 0, and `undefined` is set.
template <class T>
T quotient(T a, T b, bool& undefined) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return undefined = true, T{0};
    if (b == -1) return wrapping<T>([](auto u, auto v) { return u - v; }, T{0}, a);  // the least integer wraps
  }
  return static_cast<T>(a / b);
}

// Throws on all ranks if one rank has divided by 0.
void require_defined(std::string_view operation, const SliceCore& result, bool undefined) {
  const ElementKind kind = result.type().kind;
  if (kind != ElementKind::int32 && kind != ElementKind::int64) return;
  if (result.array().group().all_reduce(std::int32_t{undefined}, Reduce::max) == 0) return;
  throw UsageError(formatted("{}: integers are divided by 0; the elements of {} where they are became 0",
                             operation, result.description()));
}

[[noreturn]] void throw_undefined(std::string_view operation, const SliceCore& a) {
  throw UsageError(
      formatted("{} is not defined for elements of {} ({})", operation, to_string(a.type()), a.description()));
}

// Calls f for the runs of the slice, which it changes in place.
template <class F>
void in_place(std::string_view operation, const SliceCore& a, F&& f) {
  begin_operation(operation, {a});
  for_each_run(a, {}, f);
  end_operation(a);
}

void require_arithmetic(std::string_view operation, const SliceCore& a) {
  if (a.type().kind == ElementKind::bytes) throw_undefined(operation, a);
}

}  // namespace

void fill(const SliceCore& a, const void* given) {
  const Phase phase(a.array().group(), "fill");
  const index_t size = a.type().size;
  in_place("fill", a, [&](const ElementRun& run) {
    auto set = [&]<class T>(T) {
      const T element = value<T>(given);
      apply<T>(run, [element](T& x) { x = element; });
    };
    auto copies = [&] {
      for (index_t i = 0; i < run.count; ++i) {
        std::memcpy(static_cast<std::byte*>(run.data[0]) + i * run.strides[0] * size, given,
                    static_cast<std::size_t>(size));
      }
    };
    // A member of structures may lie at any multiple of its alignment.
    const bool is_aligned = a.field().offset % size == 0;
    if (size == 1) return set(std::uint8_t{});
    if (!is_aligned) return copies();
    if (size == 2) return set(std::uint16_t{});
    if (size == 4) return set(std::uint32_t{});
    if (size == 8) return set(std::uint64_t{});
    copies();
  });
}

namespace {

template <class T>
void require_interval(std::string_view operation, T low, T high) {
  if constexpr (std::is_arithmetic_v<T>) {
    bool finite = true;
    if constexpr (std::is_floating_point_v<T>) finite = std::isfinite(low) && std::isfinite(high);
    if (!finite || low > high)
      throw UsageError(formatted("{}: there are no numbers from {} to {}", operation, low, high));
  } else {
    require_interval(operation, low.real(), high.real());
    require_interval(operation, low.imag(), high.imag());
  }
}

}  // namespace

void randomize(const SliceCore& a, std::uint64_t seed, const void* low, const void* high) {
  const Phase phase(a.array().group(), "randomize");
  require_arithmetic("randomize", a);
  begin_operation("randomize", {a});
  with_kind(a.type().kind, "randomize", [&]<class T>(T) {
    const T from = value<T>(low), to = value<T>(high);
    require_interval("randomize", from, to);
    for_each_placed_run(a, [&](const PlacedRun& run) {
      // The number of an element in row-major order decides, so that its owner does not matter.
      const auto [number, step] = run.numbers(a);
      T* x = static_cast<T*>(run.data[0]);
      for (index_t i = 0; i < run.count; ++i)
        x[i * run.strides[0]] =
            uniform<T>(philox(seed, static_cast<std::uint64_t>(number + i * step)), from, to);
    });
  });
  end_operation(a);
}

void enumerate(const SliceCore& a, const void* start, const void* step) {
  require_arithmetic("enumerate", a);
  begin_operation("enumerate", {a});
  if (a.rank() != 1) throw UsageError(formatted("enumerate: {} has more than one dimension", a.description()));
  with_kind(a.type().kind, "enumerate", [&]<class T>(T) {
    using S = sum_t<T>;  // float does not hold all indices
    const S first = static_cast<S>(value<T>(start)), by = static_cast<S>(value<T>(step));
    for_each_placed_run(a, [&](const PlacedRun& run) {
      T* x = static_cast<T*>(run.data[0]);
      for (index_t i = 0; i < run.count; ++i) {
        const auto number = static_cast<S>(static_cast<typename RealOf<S>::type>(run.at[0] + i));
        x[i * run.strides[0]] = static_cast<T>(sum(first, product(number, by)));
      }
    });
  });
  end_operation(a);
}

void scale(const SliceCore& a, const void* alpha) {
  const Phase phase(a.array().group(), "scale");
  require_arithmetic("scale", a);
  with_kind(a.type().kind, "scale", [&]<class T>(T) {
    const T factor = value<T>(alpha);
    in_place("scale", a, [&](const ElementRun& run) {
      if (factor != T{1}) apply<T>(run, [factor](T& x) { x = product(x, factor); });
    });
  });
}

void add_constant(const SliceCore& a, const void* constant) {
  require_arithmetic("add_constant", a);
  with_kind(a.type().kind, "add_constant", [&]<class T>(T) {
    const T more = value<T>(constant);
    in_place("add_constant", a,
             [&](const ElementRun& run) { apply<T>(run, [more](T& x) { x = sum(x, more); }); });
  });
}

void clamp(const SliceCore& a, const void* low, const void* high) {
  require_arithmetic("clamp", a);
  with_kind(a.type().kind, "clamp", [&]<class T>(T) {
    if constexpr (is_ordered<T>) {
      const T from = value<T>(low), to = value<T>(high);
      if (to < from)
        throw UsageError(
            formatted("clamp of {}: the lower bound {} exceeds the upper, {}", a.description(), from, to));
      if (is_nan(from) || is_nan(to))
        throw UsageError(formatted("clamp of {}: a bound is NaN ({} to {})", a.description(), from, to));
      in_place("clamp", a, [&](const ElementRun& run) {
        apply<T>(run, [from, to](T& x) { x = x < from ? from : to < x ? to : x; });
      });
    } else {
      throw_undefined("clamp", a);
    }
  });
}

void axpby(const void* alpha, const SliceCore& x, const void* beta, const SliceCore& y, const SliceCore& z) {
  const Phase phase(z.array().group(), "axpby");
  require_arithmetic("axpby", x);
  begin_operation("axpby", {x, y, z});
  const SliceCore sources[] = {x, y};
  require_apart("axpby", z, sources);
  with_kind(z.type().kind, "axpby", [&]<class T>(T) {
    const T a = value<T>(alpha), b = value<T>(beta);
    const auto scaled = [](T factor, T old) {
      return is_ordered<T> || factor != T{1} ? product(factor, old) : old;
    };
    // If beta == 0, y is not read, so NaN in it (never written, say) does not propagate, as in BLAS.
    if (b == T{0}) {
      return for_each_run(z, std::span(sources, 1), [a, scaled](const ElementRun& run) {
        apply<T, T>(run, [a, scaled](T& to, const T& u) { to = scaled(a, u); });
      });
    }
    for_each_run(z, sources, [a, b, scaled](const ElementRun& run) {
      apply<T, T, T>(run,
                     [a, b, scaled](T& to, const T& u, const T& v) { to = sum(scaled(a, u), scaled(b, v)); });
    });
  });
  end_operation(z);
}

void unary(Unary which, const SliceCore& x, const SliceCore& y) {
  const Phase phase(x.array().group(), "element-wise function");
  const char* name = which == Unary::magnitude ? "abs" : "reciprocal";
  require_arithmetic(name, x);
  begin_operation(name, {x, y});
  require_apart(name, y, std::span(&x, 1));
  with_kind(y.type().kind, name, [&]<class T>(T) {
    bool undefined = false;
    for_each_run(y, std::span(&x, 1), [&](const ElementRun& run) {
      if (which == Unary::magnitude)
        return apply<T, T>(run, [](T& to, const T& from) { to = magnitude(from); });
      apply<T, T>(run, [&](T& to, const T& from) { to = quotient(T{1}, from, undefined); });
    });
    end_operation(y);
    if (which == Unary::reciprocal) require_defined(name, y, undefined);
  });
}

void binary(Binary which, const SliceCore& x, const SliceCore& y, const SliceCore& z) {
  const Phase phase(x.array().group(), "element-wise function");
  constexpr const char* names[] = {"multiply", "divide", "minimum", "maximum"};
  const char* name = names[static_cast<std::size_t>(which)];
  require_arithmetic(name, x);
  begin_operation(name, {x, y, z});
  const SliceCore sources[] = {x, y};
  require_apart(name, z, sources);
  bool undefined = false;
  with_kind(z.type().kind, name, [&]<class T>(T) {
    auto each = [&](auto f) {
      for_each_run(z, sources, [f](const ElementRun& run) {
        apply<T, T, T>(run, [f](T& to, const T& u, const T& v) { to = f(u, v); });
      });
    };
    if (which == Binary::multiply) return each([](T u, T v) { return product(u, v); });
    if (which == Binary::divide) return each([&](T u, T v) { return quotient(u, v, undefined); });
    if constexpr (is_ordered<T>) {
      if (which == Binary::minimum) return each([](T u, T v) { return least(u, v); });
      return each([](T u, T v) { return greatest(u, v); });
    } else {
      throw_undefined(name, z);
    }
  });
  end_operation(z);
  if (which == Binary::divide) require_defined(name, z, undefined);
}

}  // namespace tessera::detail
