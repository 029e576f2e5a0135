// Words with the factor ab.
// Source: Huang et al. (2025). Fragment: local (the position before).
alphabet "a" "b" "c"
empty reject
C1 = #[i-1] "a"
P1 = C1 >= 1
AB = "b" && P1
CAB = #AB
accept = CAB >= 1
