var a[0]
thread P { skip }
