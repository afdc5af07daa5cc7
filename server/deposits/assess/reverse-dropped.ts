import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { type Deposit, lockPayment } from '#server/deposits/locks.ts'
import { reverseTransfer } from '#server/deposits/reverse.ts'
import { notify } from '#server/notifications/notices.ts'
import { formatUsd } from '#shared/money.ts'
import { unmatch } from './manual-credit.ts'
import { isCreditedWithoutBlock, lockTransfers, type Transfer } from './transfers.ts'

/** Reverses every credited transfer that lost its block. */
export async function reverseDropped(tx: Tx, by: Origin, { id }: Deposit): Promise<void> {
  for (;;) {
    const { deposit } = await lockPayment(tx, id)
    const transfer = (await lockTransfers(tx, deposit)).find(isCreditedWithoutBlock)
    if (transfer === undefined) return
    if (transfer.credited_by === null) await unmatch(tx, by, { deposit, transfer })
    else {
      await reverse(tx, by, { deposit, transfer })
      await reverseWorthless(tx, by, id)
    }
  }
}

/** Once the deposit is pending again, credits below one cent are reversed too: the next payment credits them anew. */
async function reverseWorthless(tx: Tx, { services }: Origin, id: string): Promise<void> {
  const { deposit } = await lockPayment(tx, id)
  if (deposit.status !== 'pending') return
  for (const transfer of (await lockTransfers(tx, deposit)).filter(
    ({ credited_by }) => credited_by !== null,
  )) {
    const { deposit: left } = await lockPayment(tx, id)
    await reverseTransfer(tx, left, transfer, services.clock.now())
  }
}

async function reverse(
  tx: Tx,
  by: Origin,
  { deposit, transfer }: { deposit: Deposit; transfer: Transfer },
): Promise<void> {
  const now = by.services.clock.now()
  const { creditedCents, takenCents } = await reverseTransfer(tx, deposit, transfer, now)
  await audit(tx, asSystem(by.services), {
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
