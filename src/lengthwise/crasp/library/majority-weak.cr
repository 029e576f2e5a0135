// At least as many a as b.
// Source: Huang et al. (2025), MAJORITY written with >=. Fragment: plain.
alphabet "a" "b"
empty accept
Ca = #"a"
Cb = #"b"
accept = Cb <= Ca
