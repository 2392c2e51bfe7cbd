// Dekker's entry protocol: each raises its flag, then looks at the other's
global x = 0, y = 0

thread left {
  x = 1
  a = y
}

thread right {
  y = 1
  b = x
}
