// a^n b^n c^n d^n.
// Source: a^n b^n c^n of Yang & Chiang (2024) with one letter more. Fragment: plain.
alphabet "a" "b" "c" "d"
empty accept
Ca = #"a"
Cb = #"b"
Cc = #"c"
Cd = #"d"
CA = #("a" && Cb + Cc + Cd == 0)
CB = #("b" && Cc + Cd == 0)
CC = #("c" && Cd == 0)
accept = CA == Ca && CB == Cb && CC == Cc && Ca == Cb && Cb == Cc && Cc == Cd
