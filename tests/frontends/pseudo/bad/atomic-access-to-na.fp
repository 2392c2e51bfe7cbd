na d
thread P { r := d.acq }
