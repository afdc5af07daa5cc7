import { sql } from 'kysely'
import type { FileAnswer, Services, SignedInContext } from '#server/context.ts'
import { batchesOf } from '#server/platform/database/batches.ts'
import { exported } from '#server/queries/table-csv.ts'
import { readSecrets } from './secrets.ts'
import { legKeyBytes, partNonce } from './tags.ts'

/** Rows held in memory at a time. */
const BATCH = 1000

type Epoch = { number: bigint; size: bigint }
/** Of a closed leaf, whose text is opened; of an investor's line, whose owner is; or of both. */
type Opened = { index: bigint; salt: Buffer | null; text: Buffer | null } & (OpenedLeg | { line: null })
type OpenedLeg = {
  line: number
  owner: string
  kind: string
  version: bigint
  amount: bigint
  balance: bigint
}
type OpenedPart = { owner: string; email: string; place: bigint; amount: bigint }

/**
 * Whose each line of an investor is, up to the newest epoch, with the keys that show it, and the text of each closed leaf
 * (docs/proof-format.md): no names, no addresses, and of each secret only what opens the epochs that are listed.
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
  const head = new EpochHead(epochs)
  let textOf: bigint | undefined
  for await (const batch of batchesOf(pool, [openedLeaves(size).compile(db)], BATCH)) {
    const owners = new Set(batch.flatMap(row => (row.line === null ? [] : [row.owner])))
    const secrets = await readSecrets(pool, config, [...owners])
    let text = ''
    for (const { index, salt, text: content, ...row } of batch) {
      text += head.upTo(index)
      if (salt !== null && content !== null && index !== textOf) {
        text += `text ${index} ${salt.toString('base64')} ${content.toString('base64')}\n`
        textOf = index
      }
      if (row.line === null) continue
      const { line, owner, kind, version, amount, balance } = row
      text += head.keyOf(owner, secrets.get(owner)?.secret)
      text += `leg ${index} ${line} ${owner} ${kind} ${version} ${amount} ${balance}\n`
    }
    yield text
  }
  yield head.rest()
}

function openedLeaves(size: bigint) {
  return sql<Opened>`
    SELECT l.index, l.salt, l.opened AS text, e.line, e.owner, e.kind, e.version, e.amount, e.new_balance AS balance
      FROM ledger.log l
      LEFT JOIN (SELECT e.transaction_id, e.line, a.owner, a.kind, e.version, e.amount, e.new_balance
                   FROM ledger.entries e
                   JOIN ledger.accounts a ON a.id = e.account_id
                   JOIN ledger.account_kinds k ON k.kind = a.kind AND k.holder = 'investor'
                  WHERE e.version IS NOT NULL) e ON e.transaction_id = l.transaction_id
     WHERE l.index < ${size} AND (e.line IS NOT NULL OR l.salt IS NOT NULL) ORDER BY l.index, e.line`
}

/** What an epoch begins with in the file, and its owners' keys, each before its first line. */
class EpochHead {
  readonly #epochs: readonly Epoch[]
  readonly #keys = new Set<string>()
  #next = 0

  constructor(epochs: readonly Epoch[]) {
    this.#epochs = epochs
  }

  upTo(index: bigint): string {
    let text = ''
    for (; this.#next === 0 || index >= this.#epochs[this.#next - 1]!.size; this.#next++) {
      text += `epoch ${this.#epochs[this.#next]!.number}\n`
      this.#keys.clear()
    }
    return text
  }

  keyOf(owner: string, secret: Buffer | undefined): string {
    if (this.#keys.has(owner)) return ''
    this.#keys.add(owner)
    const key = secret && legKeyBytes(secret, this.#epochs[this.#next - 1]!.number).toString('base64')
    return `key ${owner} ${key ?? 'erased'}\n`
  }

  rest(): string {
    return this.#epochs
      .slice(this.#next)
      .map(({ number }) => `epoch ${number}\n`)
      .join('')
  }
}

async function* partsOf({ pool, config, db }: Services, epoch: bigint) {
  const rows = sql<OpenedPart>`
    SELECT p.owner, p.email, part.place, part.amount
      FROM ledger.epoch_parts p CROSS JOIN LATERAL unnest(p.places, p.amounts) AS part (place, amount)
     WHERE p.epoch = ${epoch} ORDER BY part.place`.compile(db)
  for await (const batch of batchesOf(pool, [rows], BATCH)) {
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
