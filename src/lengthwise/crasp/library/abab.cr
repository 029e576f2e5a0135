// (abab)*.
// Source: ours. Fragment: periodic.
alphabet "a" "b"
empty accept
BAD = "a" && pos % 2 == 0 || "b" && pos % 2 == 1
accept = #BAD == 0 && pos % 4 == 0
