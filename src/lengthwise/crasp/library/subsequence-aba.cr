// Words with aba as a scattered subsequence; counts are strict, so letters may repeat.
// Source: piecewise testable languages are in C-RASP (Huang et al. 2025); program ours. Fragment: plain.
alphabet "a" "b"
empty reject
E1 = "a"
S1 = #E1 - (1 if E1 else 0)
E2 = "b" && S1 >= 1
S2 = #E2 - (1 if E2 else 0)
E3 = "a" && S2 >= 1
accept = #E3 >= 1
