// Three binary streams interleaved: writes the majority of each after <sep>, then <eos>.
// Source: task of Huang et al. (2025); program ours. Fragment: periodic.
alphabet "0" "1" "<sep>" "<eos>"
PRE = #"<sep>" == 0
R = #!PRE                    // 1 at <sep>, 2 at the first answer, ...
Z1 = #("0" && PRE && pos % 3 == 1)
O1 = #("1" && PRE && pos % 3 == 1)
Z2 = #("0" && PRE && pos % 3 == 2)
O2 = #("1" && PRE && pos % 3 == 2)
Z3 = #("0" && PRE && pos % 3 == 0)
O3 = #("1" && PRE && pos % 3 == 0)
next "0" = R == 1 && O1 < Z1 || R == 2 && O2 < Z2 || R == 3 && O3 < Z3
next "1" = R == 1 && Z1 < O1 || R == 2 && Z2 < O2 || R == 3 && Z3 < O3
next "<eos>" = R == 4
