# Makes a file for beancount of the log's leaves: the totals at the end of each day become exact balance directives.
# Beancount checks a balance at the beginning of its day, hence the day after.
BEGIN {
  print "plugin \"beancount.plugins.auto_accounts\""
  print "option \"inferred_tolerance_multiplier\" \"0\""
  split("31 28 31 30 31 30 31 31 30 31 30 31", days, " ")
}
/^; date: / {
  if ($3 != date) for (line = 1; line <= count; line++) print balances[line]
  date = $3
  count = 0
}
{ print }
/^; assert: / { balances[++count] = after(date) " balance " $3 " " $4 " ~ 0 " $5 }
END { for (line = 1; line <= count; line++) print balances[line] }

function after(day,    year, month, of_month) {
  year = substr(day, 1, 4) + 0
  month = substr(day, 6, 2) + 0
  of_month = substr(day, 9, 2) + 1
  days[2] = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
  if (of_month > days[month]) { of_month = 1; month++ }
  if (month > 12) { month = 1; year++ }
  return sprintf("%04d-%02d-%02d", year, month, of_month)
}
