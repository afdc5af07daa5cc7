import type { Client } from 'pg'
import type { Secrets } from '#server/platform/encrypted.ts'
import type { InvariantCheck } from './invariants.ts'
import { rootOf } from './merkle.ts'
import {
  emptyLogs,
  hashOf,
  isSignedBy,
  type Leaves,
  type Logs,
  logsOf,
  NO_SEAL,
  type SealRow,
  sealKeys,
  withLeaves,
} from './seals.ts'

/** Bytes of seals and their hashes that are read at once; a single seal may have more. */
const PAGE_BYTES = 1_000_000
/** Bytes of a seal besides its leaves. */
const SEAL_BYTES = 1_000
const MOST_EXAMPLES = 10

/** A seal, if there is one, and its leaves. */
type Read = { batch: bigint } & Leaves & (SealRow | { [Field in keyof SealRow]: null })

const SEALS = 'FROM ledger.seals s FULL JOIN ledger.seal_batches b ON b.number = s.number'

/**
 * Checks the chain of seals: each follows the one before and has the roots over its leaves, and the newest is signed
 * with a secret that we know. `ledger.broken_seals` compares the leaves with the rows.
 * @param client in a transaction with one snapshot
 * @param verified the number of the seal up to which an earlier check has verified them
 */
export async function checkSeals(
  client: Client,
  secrets: Secrets,
  { pageBytes = PAGE_BYTES, verified = 0 } = {},
): Promise<InvariantCheck> {
  const { rows: latest } = await client.query<SealRow>('SELECT * FROM ledger.seals WHERE number = $1', [
    verified,
  ])
  const chain = new Chain(latest[0])
  // A seal belongs to the page in which its last byte falls.
  const { rows: pages } = await client.query<{ seals: bigint }>(
    `SELECT count(*) AS seals
       FROM (SELECT sum($1 + coalesce(octet_length(transaction_hashes) + octet_length(audit_hashes), 0))
                      OVER (ORDER BY coalesce(s.number, b.number)) AS bytes ${SEALS}
             WHERE coalesce(s.number, b.number) > $3) one
      GROUP BY div(bytes, $2) ORDER BY div(bytes, $2)`,
    [SEAL_BYTES, pageBytes, chain.verified],
  )
  await client.query(
    `DECLARE seals NO SCROLL CURSOR FOR
     SELECT s.*, coalesce(s.number, b.number) AS batch,
            coalesce(b.transaction_hashes, '') AS journal, coalesce(b.audit_hashes, '') AS audit ${SEALS}
      WHERE coalesce(s.number, b.number) > $1
      ORDER BY batch`,
    [chain.verified],
  )
  for (const { seals } of pages) {
    const { rows } = await client.query<Read>(`FETCH ${seals} FROM seals`)
    for (const row of rows) chain.add(row)
  }
  await client.query('CLOSE seals')
  chain.end(secrets)
  return {
    name: 'seals_signed',
    statement:
      'Every seal follows the one before it and fits what it seals, and the newest is signed with a known secret',
    examined: chain.seals,
    faults: chain.faults,
    examples: chain.examples,
  }
}

class Chain {
  seals = 0
  faults = 0
  readonly examples: { seal: number; fault: string }[] = []
  #last: SealRow | undefined
  #number = 0n
  #logs: Logs = emptyLogs
  #waiting: bigint | undefined

  /** @param verified the seal to go on from */
  constructor(verified?: SealRow) {
    const logs = verified && logsOf(verified)
    if (verified === undefined || logs === undefined) return
    this.#last = verified
    this.#number = verified.number
    this.#logs = logs
  }

  /** The number of the latest seal so far. */
  get verified(): bigint {
    return this.#number
  }

  add(row: Read): void {
    const isNext = row.batch === this.#number + 1n
    this.#number = row.batch
    if (row.number === null) {
      // The newest leaves may still wait for their seal.
      this.#waiting = row.batch
      return
    }
    this.seals++
    this.#requireSealed()
    if (!isNext || !row.previous_hash.equals(this.#last?.hash ?? NO_SEAL))
      this.#fault(row.number, 'does not follow the seal before it')
    if (!hashOf(row).equals(row.hash)) this.#fault(row.number, 'was changed')
    this.#requireRoots(row)
    this.#last = row
  }

  end(secrets: Secrets): void {
    if (this.#last === undefined || isSignedBy(sealKeys(secrets), this.#last)) return
    this.#fault(this.#last.number, 'is not signed with TOKEN_SECRET or TOKEN_SECRETS_BEFORE')
  }

  #requireSealed(): void {
    if (this.#waiting !== undefined) this.#fault(this.#waiting, 'is missing')
    this.#waiting = undefined
  }

  #requireRoots(row: SealRow & Leaves): void {
    const { journal, audit } = withLeaves(this.#logs, row)
    const fits =
      BigInt(journal.size) === row.journal_size &&
      BigInt(audit.size) === row.audit_size &&
      rootOf(journal).equals(row.journal_root) &&
      rootOf(audit).equals(row.audit_root)
    const stated = logsOf(row)
    if (!fits || stated === undefined) this.#fault(row.number, 'does not fit its leaves')
    // Continues from what the seal states, so that one fault does not show in every later seal.
    this.#logs = stated ?? { journal, audit }
  }

  #fault(seal: bigint, fault: string): void {
    this.faults++
    if (this.examples.length < MOST_EXAMPLES) this.examples.push({ seal: Number(seal), fault })
  }
}
