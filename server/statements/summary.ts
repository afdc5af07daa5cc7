import { investorKinds, statementKinds } from '#server/ledger/chart.ts'
import type { PeriodTotals } from '#server/ledger/totals.ts'
import type { StatementAccount, StatementKind } from '#shared/contract/entities.ts'

/** Money in and out for one kind of record, in cents. */
export type KindSums = { kind: StatementKind; lines: number; inCents: bigint; outCents: bigint }

/** The sums of a period for one account or all, in cents: opening + in - out = closing. */
export type Sums = {
  openingCents: bigint
  inCents: bigint
  outCents: bigint
  closingCents: bigint
  kinds: KindSums[]
}

/** Adds up a period. One account counts every movement; all accounts together leave out transfers between them. */
export function sumsOf(totals: PeriodTotals, account?: StatementAccount): Sums {
  const accounts = account === undefined ? investorKinds : [account]
  const moved = totals.movements.filter(({ kind }) => accounts.includes(kind))
  const kinds = statementKinds.map(about => {
    const own = moved.filter(movement => movement.about === about)
    return {
      kind: about,
      lines: own.reduce((sum, { lines }) => sum + lines, 0),
      inCents: add(own.map(of => (account ? of.creditedCents : of.fromOutsideCents))),
      outCents: add(own.map(of => (account ? of.debitedCents : of.toOutsideCents))),
    }
  })
  return {
    openingCents: add(accounts.map(kind => totals.openingCents[kind])),
    inCents: add(kinds.map(({ inCents }) => inCents)),
    outCents: add(kinds.map(({ outCents }) => outCents)),
    closingCents: add(accounts.map(kind => totals.closingCents[kind])),
    kinds,
  }
}

function add(amounts: bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
