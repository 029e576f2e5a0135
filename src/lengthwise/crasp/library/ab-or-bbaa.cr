// (ab|bbaa)*: two potentials tell the states apart.
// Source: our derivation, from the automaton's potentials. Fragment: plain.
alphabet "a" "b"
empty accept
T1 = #"a" - #"b"
T2 = #("a" && T1 == -1) - #("a" && T1 == 0)   // T1 before the letter was -2, was -1
GOOD = T2 == 0 && (-2 <= T1 && T1 <= 1) || T1 == -1 && T2 == 1
accept = #!GOOD == 0 && T1 == 0 && T2 == 0
