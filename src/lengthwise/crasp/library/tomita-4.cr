// Tomita-4: no factor 000.
// Source: Tomita (1982); program ours. Fragment: local.
alphabet "0" "1"
empty accept
P1 = #[i-1] "0" >= 1
P2 = #[i-2] "0" >= 1
BAD = "0" && P1 && P2
accept = #BAD == 0
