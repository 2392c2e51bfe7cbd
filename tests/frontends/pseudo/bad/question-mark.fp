thread P { a := 1; r := a ? 2 : 3 }
