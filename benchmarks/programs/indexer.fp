// indexer(N): N threads put four entries each into a shared hash table (Flanagan and Godefroid 2005). Collisions only
// arise for N >= 12.
const N = 12
const SIZE = 128
const MESSAGES = 4
var table[SIZE]

thread T(tid in 0..N - 1) {
  for m in 1..MESSAGES {
    w := m * 11 + tid
    h := (w * 7) % SIZE
    ok := 0
    while !ok {
      _, ok := CAS(table[h], 0, w)
      if !ok { h := (h + 1) % SIZE }
    }
  }
}
