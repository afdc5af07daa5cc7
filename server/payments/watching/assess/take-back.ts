import type { Tx } from '#server/context.ts'
import { type Deposit, lockPayment } from '#server/payments/locks.ts'
import { reverseTransfer } from '#server/payments/reverse.ts'
import { audit, byItself, type Origin } from '#server/records/audit.ts'
import { notify } from '#server/records/notices.ts'
import { formatUsd } from '#shared/money.ts'
import { uncover } from './by-hand.ts'
import { isCreditedInNoBlock, lockTransfers, type Transfer } from './transfers.ts'

/** Takes back all that is in no block any more; one of them may take others along. */
export async function takeBackGone(tx: Tx, by: Origin, { id }: Deposit): Promise<void> {
  for (;;) {
    const { deposit } = await lockPayment(tx, id)
    const transfer = (await lockTransfers(tx, deposit)).find(isCreditedInNoBlock)
    if (transfer === undefined) return
    if (transfer.credited_by === null) await uncover(tx, by, { deposit, transfer })
    else {
      await takeBack(tx, by, { deposit, transfer })
      await takeBackWorthless(tx, by, id)
    }
  }
}

/** What was too little to be worth a cent goes with the last that was: it is credited again with what comes. */
async function takeBackWorthless(tx: Tx, { services }: Origin, id: string): Promise<void> {
  const { deposit } = await lockPayment(tx, id)
  if (deposit.status !== 'pending') return
  for (const transfer of (await lockTransfers(tx, deposit)).filter(
    ({ credited_by }) => credited_by !== null,
  )) {
    const { deposit: left } = await lockPayment(tx, id)
    await reverseTransfer(tx, left, transfer, services.clock.now())
  }
}

async function takeBack(
  tx: Tx,
  by: Origin,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  const now = by.services.clock.now()
  const { creditedCents, takenCents } = await reverseTransfer(tx, deposit, transfer, now)
  await audit(tx, byItself(by.services), {
    action: 'deposit.reversed',
    subject: { kind: 'deposit', id: deposit.id },
    details: {
      credited: formatUsd(creditedCents),
      taken: formatUsd(takenCents),
      ...(takenCents < creditedCents ? { debt: formatUsd(creditedCents - takenCents) } : {}),
      transactions: [transfer.transaction_id],
    },
  })
  await notify(tx, 'deposit.reversed', deposit, now)
}
