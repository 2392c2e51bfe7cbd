// User-level RCU by quiescent states where any thread may be the writer, and where threads may go offline: a writer
// does not wait for a thread that has said that it reads nothing, until that thread comes back.
const OFFLINE = 2
const ROUNDS = 1
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
  BCAS(lock, 0, 1)
  seen[me] := OFFLINE             // nobody, itself included, waits for a writer
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
  for round in 1..ROUNDS {
    read_node()
    if choose(0..1) {
      update(me)
    } else {
      seen[me] := OFFLINE
      fence.sc
      say_quiescent(me)
    }
    read_node()
  }
  seen[me] := OFFLINE
}
