// a^n b^n.
// Source: a^n b^n c^n of Yang & Chiang (2024) with one letter less. Fragment: plain.
alphabet "a" "b"
empty accept
Ca = #"a"
Cb = #"b"
A = Cb == 0                  // no b yet
CA = #("a" && A)
accept = CA == Ca && Ca == Cb
