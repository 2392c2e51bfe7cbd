// User-level RCU by quiescent states (Desnoyers et al., "User-level implementations of read-copy update", 2012) where any
// thread may be the writer, and where threads may go offline: a writer does not wait for a thread that has said that it
// reads nothing, until that thread comes back. Each thread goes on for ever: it reads, then updates, or goes offline and
// comes back, or only says that it is quiescent.
const OFFLINE = 2
var phase, seen[3], pointer, lock
na node[2]

fn read_node() {
  n := pointer
  r := node[n]
  assert(r != 0 || n == 0)
}

fn say_quiescent(me) {            // also how a thread comes back online
  p := phase
  seen[me] := p
  fence.sc
}

fn flip(me) {
  p := 1 - phase
  phase := p
  fence.sc
  for other in 0..2 {
    if other != me {
      wait(seen[other] != 1 - p)
    }
  }
}

fn update(me) {
  seen[me] := OFFLINE             // nobody waits for a writer, nor for one who waits for the lock
  BCAS(lock, 0, 1)
  old := pointer
  new := 1 - old
  node[new] := new + 1
  pointer := new
  flip(me)                        // twice: a thread may have come online with the phase before the last
  flip(me)
  node[old] := 0
  lock := 0
  say_quiescent(me)
}

thread T(me in 0..2) {
  start: read_node()
  next := choose(0..2)
  if next == 0 {
    update(me)
  } else if next == 1 {
    seen[me] := OFFLINE
    fence.sc
    say_quiescent(me)
  } else {
    say_quiescent(me)
  }
  goto start
}
