// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "any_array.hpp"

namespace tessera::stress {

std::unique_ptr<AnyArray> make_array(const Group& group, const std::string& name, const Line& line) {
  const std::string type = line.word("type", "double");
  if (type.find("complex") == 0) return make_complex(group, name, line);
  if (type == "record") return make_records(group, name, line);
  if (type.find("int") == 0) return make_integers(group, name, line);
  return make_reals(group, name, line);
}

Values compute(const std::string& type, std::size_t rank, const Line& line,
               const std::vector<Operand>& operands) {
  if (type == "record") return compute_records(rank, line, operands);
  if (type.find("complex") == 0) return compute_complex(type, rank, line, operands);
  if (type.find("int") == 0) return compute_integers(type, rank, line, operands);
  return compute_reals(type, rank, line, operands);
}

}  // namespace tessera::stress
