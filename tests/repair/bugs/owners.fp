// repair: changes=1
var refs = 2
na obj = 1
thread user(i in 1..2) {
  r := obj
  n := FSUB(refs.rlx, 1)
  if n == 1 { obj := 0 }
}
