// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "typed_compute.hpp"

namespace tessera::stress {

std::unique_ptr<AnyArray> make_reals(const Group& group, const std::string& name, const Line& line) {
  if (line.word("type") == "float") return make_typed<float>(group, name, line);
  return make_typed<double>(group, name, line);
}

Values compute_reals(const std::string& type, std::size_t rank, const Line& line,
                     const std::vector<Operand>& operands) {
  if (type == "float") return compute_typed<float>(rank, line, operands);
  return compute_typed<double>(rank, line, operands);
}

}  // namespace tessera::stress
