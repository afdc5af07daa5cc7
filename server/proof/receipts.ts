import type { Pool } from 'pg'
import type { Services } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf } from '#shared/moments.ts'
import { OtherLog } from './forked-log.ts'
import { type ProofKey, type PublicProofKey, proofKey, publicProofKey, ReplacedKey } from './keys.ts'
import { proofRefusals } from './messages.ts'
import { signNote } from './note.ts'

/** An entry of an investor's account, as a receipt states it. */
export type ReceiptEntry = {
  owner: string
  kind: string
  asset: string
  version: bigint
  /** Minor units, credits positive, as the balance after it. */
  amount: bigint
  balance: bigint
  event: string
  at: Date
}

const DAY_MS = 86_400_000

/**
 * What a receipt signs (docs/proof-format.md, A receipt): the entry is in the log by the end of the day after its own.
 * @param log the log's name
 */
export function receiptText(log: string, entry: ReceiptEntry): string {
  const { owner, kind, asset, version, amount, balance, event, at } = entry
  const lines = [
    'probity-receipt/v1',
    `log: ${log}`,
    `owner: ${owner}`,
    `kind: ${kind}`,
    `asset: ${asset}`,
    `version: ${version}`,
    `amount: ${amount}`,
    `balance: ${balance}`,
    `event: ${event}`,
    `date: ${dayOf(at)}`,
    `sealed-by: ${dayOf(new Date(at.getTime() + DAY_MS))}`,
  ]
  return lines.map(line => `${line}\n`).join('')
}

type Signer = Pick<Services, 'pool' | 'config'>

/**
 * Signs them anew each time: the entries never change, and Ed25519 gives the same signature again. None while a lost or stolen
 * key's successor waits for its epoch's end, nor for a second log.
 */
async function signed(
  { pool, config }: Signer,
  entries: readonly ReceiptEntry[],
  epoch?: bigint,
): Promise<string[]> {
  if (entries.length === 0) return []
  const keys = await keysFor({ pool, config }, epoch)
  if (keys === undefined) return []
  return entries.map(entry => signNote(receiptText(keys.log.name, entry), keys.receipts))
}

async function keysFor(
  { pool, config }: Signer,
  epoch?: bigint,
): Promise<{ log: PublicProofKey; receipts: ProofKey } | undefined> {
  try {
    const receipts = await proofKey(pool, config, 'receipts', epoch)
    return { receipts, log: (await publicProofKey(pool, 'log'))! }
  } catch (error) {
    if (error instanceof ReplacedKey || error instanceof OtherLog) return undefined
    throw error
  }
}

/**
 * Committed entries of investors' accounts: a receipt is never read inside the transaction that posts. None of an erased
 * secret: its later tags are random, so that such a receipt could never be seen kept.
 */
const ENTRIES = `
  SELECT a.owner, a.kind, a.asset, e.version, e.amount, e.new_balance AS balance, t.event, t.created_at AS at,
         t.reference_id AS record
    FROM ledger.entries e
    JOIN ledger.accounts a ON a.id = e.account_id
    JOIN ledger.account_kinds k ON k.kind = a.kind AND k.holder = 'investor'
    JOIN ledger.transactions t ON t.id = e.transaction_id
    LEFT JOIN app.proof_secrets s ON s.user_id = a.owner
   WHERE s.erased_at IS NULL`

type RecordedEntry = ReceiptEntry & { record: string }

async function entriesWhere(pool: Pool, where: string, values: unknown[]): Promise<RecordedEntry[]> {
  const { rows } = await pool.query<RecordedEntry>(`${ENTRIES} AND ${where}`, values)
  return rows
}

/**
 * The receipt for one line of an investor's statement.
 * @param entry id of the posting
 * @throws AppError forbidden, alike for another investor's entry and for none; secret_erased; no_receipts_key
 */
export async function receiptFor(
  services: Signer,
  userId: string,
  entry: string,
): Promise<{ name: string; note: string }> {
  const { rowCount: erased } = await services.pool.query(
    'SELECT FROM app.proof_secrets WHERE user_id = $1 AND erased_at IS NOT NULL',
    [userId],
  )
  if (erased) throw proofRefusals.error({ reason: 'secret_erased' })
  const found = await entriesWhere(services.pool, 'e.id = $1 AND a.owner = $2', [entry, userId])
  const [entryFound] = found
  if (entryFound === undefined)
    throw new AppError('forbidden', t('You can only have receipts for your own entries'))
  const [note] = await signed(services, found)
  if (note === undefined) throw proofRefusals.error({ reason: 'no_receipts_key' })
  const { kind, version } = entryFound
  return { name: `receipt-${kind}-${version}.txt`, note }
}

/** Those for the newest posting of each record by one of these events: a deposit's credit, an earning. */
export async function receiptsForRecords(
  services: Signer,
  recordIds: readonly string[],
  events: readonly string[],
): Promise<Map<string, string[]>> {
  const entries = await entriesWhere(
    services.pool,
    `t.id IN (SELECT newest.id FROM unnest($1::uuid[]) AS r (id)
               CROSS JOIN LATERAL (SELECT id FROM ledger.transactions
                                    WHERE reference_id = r.id AND event = ANY ($2) ORDER BY id DESC LIMIT 1) newest)
      ORDER BY e.line`,
    [recordIds, events],
  )
  const notes = await signed(services, entries)
  const byRecord = Object.groupBy(notes, (_, i) => entries[i]!.record)
  return new Map(Object.entries(byRecord) as [string, string[]][])
}

/** Receipts that a proof brings along: more entries in one or two days are on the statement. */
export const MOST_PENDING_RECEIPTS = 200

/** Those for an investor's newest entries, as far as the log of this epoch has not got them yet, by the key that it seals. */
export async function pendingReceipts(
  services: Signer,
  userId: string,
  { number, size }: { number: bigint; size: bigint },
): Promise<string[]> {
  const entries = await entriesWhere(
    services.pool,
    `a.owner = $1
      AND (e.account_id, e.version) IN (
        SELECT newest.account_id, newest.version
          FROM ledger.accounts own
         CROSS JOIN LATERAL (SELECT account_id, version FROM ledger.entries
                              WHERE account_id = own.id ORDER BY version DESC LIMIT ${MOST_PENDING_RECEIPTS}) newest
         WHERE own.owner = $1)
      AND NOT EXISTS (SELECT FROM ledger.log l WHERE l.transaction_id = e.transaction_id AND l.index < $2)
      ORDER BY e.id DESC LIMIT ${MOST_PENDING_RECEIPTS}`,
    [userId, size],
  )
  return await signed(services, entries, number)
}
