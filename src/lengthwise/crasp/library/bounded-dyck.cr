// D_n: balanced a..b nested at most n deep, D_n = (a D_(n-1) b)*.
// Source: Huang et al. (2025) place D_n in plain C-RASP; this program is ours. Fragment: plain.
alphabet "a" "b"
empty accept
parameter n = 2
Ca = #"a"
Cb = #"b"
V = Ca < Cb || Ca > Cb + n
accept = #V == 0 && Ca == Cb
