// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

#include <tessera/detail/array_core.hpp>
#include <tessera/runtime/group.hpp>

// Operations on whole arrays with run-time rank and element type.
namespace tessera::detail {

using Arrays = std::initializer_list<const ArrayCore*>;

/// Opens a collective operation: all arrays are open, of one group and (unless shapes may differ) of equal
/// extents; all earlier operations on them are visible. @collective
enum class Shapes { equal, any };
void begin_operation(std::string_view operation, Arrays arrays, Shapes shapes = Shapes::equal);
/// Closes it: what was written is visible to all. @collective
void end_operation(const ArrayCore& written);

/// Walks the elements this rank owns of `target` together with the same elements of the sources, whatever their
/// layouts: f(target run, source runs, elements). Sources of another layout are fetched in pieces. @onesided
using RunFunction = std::function<void(void*, const void* const*, index_t)>;
void for_each_run(const ArrayCore& target, std::span<const ArrayCore* const> sources, const RunFunction& f);

/// All of these are @collective.
void fill(ArrayCore& a, const void* value);
void scale(ArrayCore& a, const void* alpha);
void axpby(const void* alpha, const ArrayCore& x, const void* beta, ArrayCore& y);
void copy(const ArrayCore& from, ArrayCore& to);
void transpose(const ArrayCore& from, ArrayCore& to);
void dot(const ArrayCore& x, const ArrayCore& y, void* result);
enum class Norm { one, two, infinity };
double norm(const ArrayCore& a, Norm which);
void reduce(const ArrayCore& a, Reduce operation, void* result);

}  // namespace tessera::detail
