// (aaaa)*.
// Source: (aa)* of Huang et al. (2025) with period 4. Fragment: periodic.
alphabet "a"
empty accept
accept = #!"a" == 0 && pos % 4 == 0
