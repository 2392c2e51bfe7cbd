// The work-stealing queue of Cilk-5 (the THE protocol): a worker that pushes and takes at the tail, a thief that steals
// at the head, as for sequential consistency.
const N = 2
var head, tail, lock, items[4]

thread worker {
  for k in 1..N {
    t := tail
    items[t] := k
    tail := t + 1
  }
  for k in 1..N {
    t := tail - 1
    tail := t
    h := head
    if h > t {
      tail := t + 1
      BCAS(lock, 0, 1)
      tail := t
      h := head
      if h > t {
        tail := t + 1
        lock := 0
        return
      }
      lock := 0
    }
    r := items[t]
    assert(r != 0)
  }
}

thread thief {
  for k in 1..N {
    BCAS(lock, 0, 1)
    h := head
    head := h + 1
    t := tail
    if h + 1 > t {
      head := h
      lock := 0
    } else {
      r := items[h]
      assert(r != 0)
      lock := 0
    }
  }
}
