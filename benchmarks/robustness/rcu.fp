// User-level RCU by quiescent states (Desnoyers et al. 2012): a writer replaces the node behind a pointer and waits until
// each of three readers has passed a quiescent state before it uses the old node again. No fence is needed.
var phase, seen[3], pointer
na node[2] = [1, 0]

thread writer {
  while 1 {
    old := pointer
    new := 1 - old
    node[new] := 1                // a race if some reader still looks at it
    pointer := new
    p := 1 - phase
    phase := p
    wait(seen[0] == p)
    wait(seen[1] == p)
    wait(seen[2] == p)
    node[old] := 0
  }
}

thread reader(i in 0..2) {
  while 1 {
    next := choose(0..1)
    if next == 0 {
      n := pointer
      r := node[n]
      assert(r != 0)
    } else {
      p := phase
      seen[i] := p                // quiescent: it holds no node here
    }
  }
}
