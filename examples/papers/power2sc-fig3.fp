// MP (Power2SC, Fig. 3): POWER reaches line 7, in three contexts (Fig. 4 shows a run of four); SC does not.
var x, y

thread p1 {
  x := 1
  y := 1
}

thread p2 {
  $r1 := y
  $r2 := x
  assume($r1 == 1)
  assume($r2 == 0)
  L7: fail("line 7 is reached")
}
