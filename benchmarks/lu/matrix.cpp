// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "matrix.hpp"

#include <algorithm>

namespace tessera::benchmark::lu {

Matrix::Matrix(Ownership own) : own_(std::move(own)) {
  const index_t width = own_.block(), rows = own_.rows().count(), columns = own_.columns().count();
  for (const index_t length : {width, rows, columns}) {
    for (int turn = 0; turn < 2; ++turn) rooms_.emplace_back(width * length);
  }
}

Block Matrix::room(Part part, const Step& step) const {
  const auto number = static_cast<std::size_t>(2 * static_cast<index_t>(part) + step.number % 2);
  const Extents<2> extents = own_.extents(part, step);
  return {rooms_[number].data(), extents, {1, std::max<index_t>(1, extents[0])}};
}

Block piece(const Ownership& own, const Block& elements, Part part, const Step& step) {
  return elements.subview(Patch<2>::at(own.local(Ownership::first(part, step)), own.extents(part, step)));
}

}  // namespace tessera::benchmark::lu
