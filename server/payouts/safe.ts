import { type Kysely, sql } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { nonceSlot, type SafeVersion } from '#server/rails/chain.ts'
import {
  builderEther,
  builderFile,
  builderPayment,
  callOf,
  rejectionOf,
  type SafeBuilderFile,
  type SafeTransaction,
  safeTransactionOf,
  safeTxHashOf,
  typedData,
} from '#server/rails/ethereum/safe.ts'
import { addressKey } from '#shared/addresses.ts'
import type { PayoutWallet } from '#shared/batch-coins.ts'
import type { Funded, NewBatch, NextFile } from './draft.ts'
import { jsonFile } from './json-file.ts'
import { payoutRefusals } from './messages.ts'
import { freeNonces } from './nonces.ts'
import { senderOf, tokenContracts } from './wallets.ts'

/**
 * Payouts by a Safe: one Safe transaction pays all withdrawals of a batch, and its slot is the Safe's nonce. The owners sign in the app of
 * Safe, which makes the transaction from our file; its hash is known before, so the one that is executed is recognised by it.
 */

/** The version of the Safe that pays, as the last sync found it; null for the address of a key. */
export async function safeVersionOf(db: Kysely<Schema>, sender: string): Promise<SafeVersion | null> {
  const row = await db
    .selectFrom('app.sender_nonces')
    .select('safe_version')
    .where('rail', '=', 'ethereum')
    .where('address', '=', addressKey(sender))
    .executeTakeFirst()
  return row?.safe_version ?? null
}

/** @throws AppError not_synced, payee_in_open_batch */
export async function fundBySafe(
  db: Kysely<Schema>,
  config: Config,
  wallet: PayoutWallet,
  { number, createdAt, payouts, version }: NewBatch & { version: SafeVersion },
): Promise<Funded> {
  await requireNoOpenPayee(db, wallet, payouts)
  const safe = senderOf(config, wallet)!
  const [nonce] = (await freeNonces(db, safe, 1, createdAt)) as [number]
  const token = wallet === 'USDT ERC-20' ? tokenContracts(config).USDT : undefined
  const place = { chainId: config.rails.ethereum.chainId, safe, nonce }
  const calls = payouts.map(payout => callOf(payout, token))
  const transaction = safeTransactionOf(calls, { ...place, version })
  const builds = payouts.map(payout => builderPayment(payout, token))
  const description = `Pays ${payouts.map(({ reference }) => reference).join(', ')}. Nonce ${nonce}.`
  const file = builderFile({ name: number, description, createdAt }, transaction, builds)
  return fundedBy(number, { payment: 0, file, transaction })
}

/** One transaction can execute several batches of Safes, and proves one payment to an address (app.withdrawals_paid_once). */
async function requireNoOpenPayee(
  db: Kysely<Schema>,
  wallet: PayoutWallet,
  payouts: NewBatch['payouts'],
): Promise<void> {
  const payees = payouts.map(({ to }) => addressKey(to))
  const paid = await db
    .selectFrom('app.payout_items as i')
    .innerJoin('app.payout_batches as b', 'b.id', 'i.batch_id')
    .select(['i.address', 'b.number'])
    .where('b.by_safe', '=', true)
    .where('b.wallet', '=', wallet)
    .where('b.ended_at', 'is', null)
    .where(sql<boolean>`app.address_key(i.address) = ANY (${payees}::text[])`)
    .orderBy('b.id')
    .limit(1)
    .executeTakeFirst()
  if (paid) throw payoutRefusals.error({ reason: 'payee_in_open_batch', ...paid })
}

/** The Safe transaction that uses the nonce of a batch and pays nobody; no draft if a block has used it already. */
export async function rejectBySafe(
  db: Kysely<Schema>,
  config: Config,
  { batch, version, now }: NextFile,
): Promise<Funded> {
  const { slot, mined } = await slotOf(db, batch.id)
  const nonce = Number(slot.split(':')[1])
  const transaction = rejectionOf({ chainId: config.rails.ethereum.chainId, safe: batch.sender!, nonce })
  const name = `${batch.number}-${version}`
  const description = `Cancels ${batch.number}: pays nobody. Nonce ${nonce}.`
  const builds = [builderEther(transaction.safe, 0n)]
  const file = builderFile({ name, description, createdAt: now }, transaction, builds)
  const funded = fundedBy(name, { payment: 0, file, transaction })
  return mined ? { ...funded, drafts: [] } : funded
}

function fundedBy(
  name: string,
  { payment, file, transaction }: { payment: number; file: SafeBuilderFile; transaction: SafeTransaction },
): Funded {
  const { safe, nonce } = transaction
  return {
    file: jsonFile(name, file),
    sender: safe,
    bySafe: true,
    drafts: [
      {
        payment,
        sender: safe,
        slots: [{ slot: nonceSlot(safe, nonce), units: null }],
        plan: Buffer.from(signable(transaction)),
        plannedId: safeTxHashOf(transaction),
        expiresAt: null,
      },
    ],
    // The executor pays, as much as they choose then.
    fee: { rate: null, units: null },
    change: null,
  }
}

/** What the owners sign, as `eth_signTypedData_v4` takes it. */
function signable(transaction: SafeTransaction): string {
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return JSON.stringify(typedData(transaction), text)
}

async function slotOf(db: Kysely<Schema>, batch: string): Promise<{ slot: string; mined: boolean }> {
  return db
    .selectFrom('app.payout_slots as k')
    .select('k.slot')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('app.chain_spends as s')
          .select('s.slot')
          .whereRef('s.slot', '=', 'k.slot')
          .where('s.rail', '=', 'ethereum')
          .where('s.block_height', 'is not', null),
      )
        .$castTo<boolean>()
        .as('mined'),
    )
    .where('k.batch_id', '=', batch)
    .executeTakeFirstOrThrow()
}
