import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { type Deposit, lockPayment } from '#server/deposits/locks.ts'
import { type CreditRow, reverseCredit } from '#server/deposits/reverse.ts'
import { notify } from '#server/notifications/notices.ts'
import { formatUsd } from '#shared/money.ts'
import { unmatch } from './manual-credit.ts'
import { evidenceOf, isCreditedWithoutBlock, lockTransfers, type Transfer } from './transfers.ts'

/** Reverses every credited transfer that lost its block. */
export async function reverseDropped(tx: Tx, by: Origin, { id }: Deposit): Promise<void> {
  for (;;) {
    const { deposit } = await lockPayment(tx, id)
    const transfer = (await lockTransfers(tx, deposit)).find(isCreditedWithoutBlock)
    if (transfer === undefined) return
    const credit = (await standingCredits(tx, deposit)).find(one => one.transfer_id === transfer.id)
    if (credit === undefined) await unmatch(tx, by, { deposit, transfer })
    else {
      await reverse(tx, by, { deposit, transfer, credit })
      await reverseWorthless(tx, by, id)
    }
  }
}

/** Once the deposit is pending again, credits below one cent are reversed too: the next payment credits them anew. */
async function reverseWorthless(tx: Tx, { services }: Origin, id: string): Promise<void> {
  for (;;) {
    const { deposit } = await lockPayment(tx, id)
    const [credit] = deposit.status === 'pending' ? await standingCredits(tx, deposit) : []
    if (credit === undefined) return
    await reverseCredit(tx, deposit, credit, services.clock.now())
  }
}

/** Credits of transfers that are not reversed. */
function standingCredits(tx: Tx, { id }: Deposit): Promise<CreditRow[]> {
  return tx
    .selectFrom('app.deposit_credits')
    .selectAll()
    .where('deposit_id', '=', id)
    .where('transfer_id', 'is not', null)
    .where('reversed_by', 'is', null)
    .execute()
}

async function reverse(
  tx: Tx,
  by: Origin,
  { deposit, transfer, credit }: { deposit: Deposit; transfer: Transfer; credit: CreditRow },
): Promise<void> {
  const now = by.services.clock.now()
  const takenCents = await reverseCredit(tx, deposit, credit, now)
  await audit(tx, asSystem(by.services), {
    action: 'deposit.reversed',
    subject: { kind: 'deposit', id: deposit.id },
    details: {
      credited: formatUsd(credit.cents),
      taken: formatUsd(takenCents),
      ...(takenCents < credit.cents ? { debt: formatUsd(credit.cents - takenCents) } : {}),
      transactions: [evidenceOf(transfer)],
    },
  })
  await notify(tx, 'deposit.reversed', deposit, now)
}
