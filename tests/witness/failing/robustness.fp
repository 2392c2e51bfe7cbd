// Dekker's entry protocol: each raises its flag, then looks at the other's
var wants0, wants1

thread zero {
  wants0 := 1
  seen := wants1
}

thread one {
  wants1 := 1
  seen := wants0
}
