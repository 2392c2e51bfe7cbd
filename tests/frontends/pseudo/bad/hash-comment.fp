thread P { r := 5 # five
 }
