// (aa|b)*: every run of a is even.
// Source: our derivation. Fragment: periodic.
alphabet "a" "b"
empty accept
E = #("a" && pos % 2 == 0)
O = #("a" && pos % 2 == 1)
BAL = E - O
BAD = "b" && BAL != 0 || BAL > 1 || BAL < -1
accept = #BAD == 0 && BAL == 0
