// a^n b^n c^n.
// Source: Yang & Chiang (2024), as used by Huang et al. (2025). Fragment: plain.
alphabet "a" "b" "c"
empty accept
Ca = #"a"
Cb = #"b"
Cc = #"c"
A = Cb + Cc == 0             // neither b nor c yet
B = Cc == 0                  // no c yet
CA = #("a" && A)
CB = #("b" && B)
accept = CA == Ca && CB == Cb && Ca == Cb && Cb == Cc
