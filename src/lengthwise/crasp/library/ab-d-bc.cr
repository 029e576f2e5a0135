// {a,b}* d {b,c}*.
// Source: language of Huang et al. (2025); program ours. Fragment: plain.
alphabet "a" "b" "c" "d"
empty reject
Cd = #"d"
BAD = "a" && Cd >= 1 || "c" && Cd == 0
accept = #BAD == 0 && Cd == 1
