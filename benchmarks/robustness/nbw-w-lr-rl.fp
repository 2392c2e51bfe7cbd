// The non-blocking write protocol (Kopetz and Reisinger 1993): a writer that never waits (w), a thread that locks and then
// reads (lr), one that reads and then locks (rl), and the one that holds the lock at first.
const ROUNDS = 4
var counter, buffer, lock = 1
na owner

thread holder { lock := 0 }

thread w {
  for round in 1..ROUNDS {
    c := counter
    counter := c + 1
    buffer := round
    counter := c + 2
  }
}

fn read_message() {
  again: before := counter
  message := buffer
  after := counter
  if before != after || before % 2 == 1 goto again
  assert(message == before / 2)
}

fn enter(me) {
  BCAS(lock, 0, 1)
  owner := me
  r := owner
  assert(r == me)
  lock := 0
}

thread lr {
  while 1 {
    enter(1)
    read_message()
  }
}

thread rl {
  while 1 {
    read_message()
    enter(2)
  }
}
