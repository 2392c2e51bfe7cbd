// User-level RCU by quiescent states (Desnoyers et al. 2012): a writer replaces the node behind a pointer and waits until
// each of three readers has passed a quiescent state before it uses the old node again. No fence is needed.
var phase, seen[3], pointer
na node[2]

thread writer {
  start: old := pointer
  new := 1 - old
  node[new] := new + 1            // a race if some reader still looks at it
  pointer := new
  p := 1 - phase
  phase := p
  wait(seen[0] == p)
  wait(seen[1] == p)
  wait(seen[2] == p)
  node[old] := 0
  goto start
}

thread reader(i in 0..2) {
  start: p := phase
  seen[i] := p                    // quiescent: it holds no node here
  n := pointer
  r := node[n]
  assert(r != 0 || n == 0)
  goto start
}
