-- What a network shows is credited by itself up to an amount that the firm sets (docs/decisions/0032-crediting-rules.md).

ALTER TABLE app.deposits
  -- What somebody of the firm has agreed to credit it with, by hand or as its network shows; beyond it nothing large is credited by itself.
  ADD COLUMN reviewed_cents bigint NOT NULL DEFAULT 0 CHECK (reviewed_cents >= 0),
  -- The most that an amount in dollars can be (shared/money.ts), whoever has it credited.
  ADD CONSTRAINT deposits_credited_at_most CHECK (credited_cents <= 999999999999),
  DROP CONSTRAINT deposits_flags_check,
  -- `large`: it waits for somebody to look. `by_hand`: it came after somebody had approved its deposit, and was not credited.
  ADD CONSTRAINT deposits_flags_check
    CHECK (flags <@ ARRAY['wrong_asset', 'reversed', 'shortfall', 'unrequested', 'rate_missing', 'after_decline', 'large', 'by_hand']);
