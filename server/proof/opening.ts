import { sql } from 'kysely'
import type { FileAnswer, Services, SignedInContext } from '#server/context.ts'
import { batchesOf } from '#server/platform/database/batches.ts'
import { exported } from '#server/queries/table-csv.ts'
import { readSecrets } from './secrets.ts'
import { legKeyBytes, partNonce } from './tags.ts'

/** Rows held in memory at a time. */
const BATCH = 1000

type Epoch = { number: bigint; size: bigint }
type OpenedLeg = {
  index: bigint
  line: number
  owner: string
  kind: string
  version: bigint
  amount: bigint
  balance: bigint
}
type OpenedPart = { owner: string; email: string; place: bigint; amount: bigint }

/**
 * Whose each line of an investor is, up to the newest epoch, with the keys that show it (docs/proof-format.md): no names,
 * no addresses, and of each secret only what opens the epochs that are listed. Its head alone before the first one.
 */
export async function openingFor(ctx: SignedInContext): Promise<FileAnswer> {
  const { services } = ctx
  const { rows: epochs } = await services.pool.query<Epoch>(
    'SELECT number, size FROM ledger.epochs ORDER BY number',
  )
  const { number, size } = epochs.at(-1) ?? { number: 0n, size: 0n }
  async function* lines() {
    yield 'probity-opening/v1\n'
    yield* legsOf(services, epochs, size)
    yield* partsOf(services, number)
  }
  const content = await exported(ctx, { list: 'proof-opening' }, lines)
  return { name: `opening-${number}.txt`, content }
}

async function* legsOf({ pool, config, db }: Services, epochs: readonly Epoch[], size: bigint) {
  const keys = new Set<string>()
  let next = 0
  const rows = sql<OpenedLeg>`
    SELECT l.index, e.line, a.owner, a.kind, e.version, e.amount, e.new_balance AS balance
      FROM ledger.log l
      JOIN ledger.entries e ON e.transaction_id = l.transaction_id AND e.version IS NOT NULL
      JOIN ledger.accounts a ON a.id = e.account_id
      JOIN ledger.account_kinds k ON k.kind = a.kind AND k.holder = 'investor'
     WHERE l.index < ${size} ORDER BY l.index, e.line`.compile(db)
  for await (const batch of batchesOf(pool, rows, BATCH)) {
    const secrets = await readSecrets(pool, config, [...new Set(batch.map(({ owner }) => owner))])
    let text = ''
    for (const { index, line, owner, kind, version, amount, balance } of batch) {
      for (; next === 0 || index >= epochs[next - 1]!.size; next++) {
        text += `epoch ${epochs[next]!.number}\n`
        keys.clear()
      }
      if (!keys.has(owner)) {
        const secret = secrets.get(owner)?.secret
        const key = secret && legKeyBytes(secret, epochs[next - 1]!.number).toString('base64')
        text += `key ${owner} ${key ?? 'erased'}\n`
        keys.add(owner)
      }
      text += `leg ${index} ${line} ${owner} ${kind} ${version} ${amount} ${balance}\n`
    }
    yield text
  }
  yield epochs
    .slice(next)
    .map(({ number }) => `epoch ${number}\n`)
    .join('')
}

async function* partsOf({ pool, config, db }: Services, epoch: bigint) {
  const rows = sql<OpenedPart>`
    SELECT p.owner, p.email, part.place, part.amount
      FROM ledger.epoch_parts p CROSS JOIN LATERAL unnest(p.places, p.amounts) AS part (place, amount)
     WHERE p.epoch = ${epoch} ORDER BY part.place`.compile(db)
  for await (const batch of batchesOf(pool, rows, BATCH)) {
    const secrets = await readSecrets(pool, config, [...new Set(batch.map(({ owner }) => owner))])
    yield batch
      .map(({ owner, email, place, amount }) => {
        const { number, secret } = secrets.get(owner)!
        const nonce = secret && partNonce(secret, { email, epoch, number }).toString('base64')
        return `part ${place} ${amount} ${owner} ${nonce ?? 'erased'}\n`
      })
      .join('')
  }
}
