// Tomita-1: 1*.
// Source: Tomita (1982); program ours. Fragment: plain.
alphabet "0" "1"
empty accept
accept = #"0" == 0
