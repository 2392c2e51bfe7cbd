thread main { t := spawn main() }
