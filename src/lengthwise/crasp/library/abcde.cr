// aa*bb*cc*dd*ee*.
// Source: language of Huang et al. (2025); program ours. Fragment: plain.
alphabet "a" "b" "c" "d" "e"
empty reject
Ca = #"a"
Cb = #"b"
Cc = #"c"
Cd = #"d"
Ce = #"e"
BAD = "a" && Cb + Cc + Cd + Ce >= 1 || "b" && Cc + Cd + Ce >= 1 || "c" && Cd + Ce >= 1 || "d" && Ce >= 1
accept = #BAD == 0 && Ca >= 1 && Cb >= 1 && Cc >= 1 && Cd >= 1 && Ce >= 1
