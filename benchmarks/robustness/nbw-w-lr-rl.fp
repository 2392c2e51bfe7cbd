// The non-blocking write protocol (Kopetz and Reisinger 1993): one writer that never waits, and readers of its two
// halves from the left, from the right, and from the left again.
var version, left, right

thread writer {
  v := 0
  for round in 1..2 {
    version := v + 1
    left := round
    right := round
    v := v + 2
    version := v
  }
}

fn read_left_right() {
  again: before := version
  if before % 2 == 1 goto again
  l := left
  r := right
  after := version
  if after != before goto again
  assert(l == r)
}

thread lr { read_left_right() }

thread rl {
  again: before := version
  if before % 2 == 1 goto again
  r := right
  l := left
  after := version
  if after != before goto again
  assert(l == r)
}

thread second_lr { read_left_right() }
