import { expect } from 'vitest'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails } from '#shared/batch-coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { assetDecimals, parseDecimal } from '#shared/money.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import type { Sent } from './network.ts'
import type { Owed, Run } from './run.ts'

/** What staff know after a sync: each transaction that is flagged or listed, and each paid withdrawal with an alert. */
type Told = { transactions: Set<string>; withdrawals: Set<string> }

/**
 * Compares the books with the network's own blocks: no withdrawal is paid twice, none is paid in the books alone, and nothing
 * leaves the wallet unseen, or staff see it flagged with its id.
 */
export async function compare(run: Run): Promise<void> {
  const { network } = run
  const mined = network.mined()
  const { told, planned } = await knownOf(run)
  for (const sent of mined) {
    expect(told.transactions.has(sent.id) || planned.has(sent.id), `nobody sees ${sent.id}`).toBe(true)
  }
  for (const owed of run.owed) await compareOne(run, owed, { mined, told })
}

async function compareOne(
  run: Run,
  { id, address }: Owed,
  { mined, told }: { mined: readonly Sent[]; told: Told },
) {
  const { world, network } = run
  const { data } = await world.call(getWithdrawal, world.admin, { params: { id } })
  const files = new Set(run.held.filter(({ pays }) => pays).map(({ sent }) => sent.id))
  const paying = mined.filter(
    sent => files.has(sent.id) && sent.pays.some(pay => pay.address === addressKey(address)),
  )
  const unexplained = paying.filter(sent => sent.id !== data.transactionId && !told.transactions.has(sent.id))
  const paid = data.status === 'paid'
  if (paid) {
    // After a deep reorg, another transaction of the payment may have taken the place of the one that was final.
    const slots = network.everything().find(sent => sent.id === data.transactionId)?.slots ?? []
    const wasFinal = [data.transactionId!, ...slots].some(name => network.wasFinal(name))
    expect(wasFinal, `${data.invoiceId} is paid too early`).toBe(true)
    const payment = mined.find(sent => sent.id === data.transactionId)
    if (payment && !told.transactions.has(payment.id)) expect(paidTo(payment, address)).toBe(unitsOf(data))
    // Its alert may name the transaction that took the place of this one.
    expect(
      payment !== undefined || told.withdrawals.has(id),
      `${data.transactionId} of ${data.invoiceId} is gone`,
    ).toBe(true)
    expect(
      unexplained.map(sent => sent.id),
      `${data.invoiceId} is paid again`,
    ).toEqual([])
  } else {
    expect(unexplained.length, `${data.invoiceId} is paid by several`).toBeLessThanOrEqual(1)
    const final = unexplained.filter(sent => network.isFinal(sent.id))
    expect(
      final.map(sent => sent.id),
      `${data.invoiceId} is not marked as paid`,
    ).toEqual([])
  }
}

async function knownOf(run: Run): Promise<{ told: Told; planned: Set<string> }> {
  const acts = payoutsIn(() => run.world)
  const told = { transactions: new Set(run.explained), withdrawals: new Set<string>() }
  for (const { transactionId } of (await acts.outgoing()).data) told.transactions.add(transactionId)
  const planned = new Set<string>()
  for (const id of run.batches) {
    const { items, payments } = (await acts.get(id)).data
    for (const { alert, state, withdrawal } of items) {
      if (alert === null) continue
      told.transactions.add(alert.transactionId)
      if (state === 'paid') told.withdrawals.add(withdrawal)
    }
    for (const { position, usedBy, status, slots, expiresAt } of payments) {
      const isOut = run.held.some(({ batch }) => batch === id)
      const isOver = slots.some(({ slot }) => run.network.wasFinal(slot)) || isPast(run, expiresAt)
      expect(status !== 'void' || !isOut || isOver, `payment ${position} of ${id} has ended too early`).toBe(
        true,
      )
      if (usedBy !== null && items.some(item => item.payment === position)) planned.add(usedBy)
    }
  }
  return { told, planned }
}

function isPast({ world }: Run, at: string | null): boolean {
  return at !== null && new Date(at) < world.clock.now()
}

function paidTo({ pays }: Sent, address: string): bigint {
  const key = addressKey(address)
  return pays.filter(pay => pay.address === key).reduce((sum, { units }) => sum + units, 0n)
}

/** What the books say was paid. */
function unitsOf({ payout, wallet }: CallData<typeof getWithdrawal>): bigint {
  const { asset } = payoutRails[wallet as PayoutWallet]
  return parseDecimal(payout!.amountCrypto, assetDecimals[asset])!
}
