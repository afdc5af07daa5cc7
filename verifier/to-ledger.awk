# Makes a journal for hledger and ledger of the log's leaves: every stated total becomes a balance assertion.
/^; date: / { date = $3 }
{ print }
/^; assert: / {
  print ""
  print date " * \"assert\""
  print "  " $3 "  0 " $5 " = " $4 " " $5
  print ""
}
