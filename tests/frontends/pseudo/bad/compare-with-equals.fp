var x
thread P {
  r := x
  if r = 1 { x := 2 }
}
