-- What the database makes sure of about withdrawals and address books, said exactly.

COMMENT ON FUNCTION app.guard_payouts() IS
  'A withdrawal goes to an entry of its owner''s book that is not removed and whose usable_from is not after the withdrawal''s '
  'created_at. Both moments are the application''s: the waiting time itself is set by it (address-book.ts).';
COMMENT ON COLUMN app.payout_addresses.usable_from IS
  'Written by the application when it adds the entry; it cannot be changed afterwards.';
