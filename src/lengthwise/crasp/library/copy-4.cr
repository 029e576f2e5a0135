// A block of length exactly 4 over {a,b}, written twice.
// Source: after the example of the released interpreter. Fragment: local.
alphabet "a" "b"
empty reject
same = "a" && #[i-4] "a" == 1 || "b" && #[i-4] "b" == 1
N = #true
accept = N == 8 && #same == 4
