import type { Client } from 'pg'
import type { Secrets } from '#server/platform/encrypted.ts'
import type { InvariantCheck } from './invariants.ts'
import { append, emptyLog, type Log, rootOf } from './merkle.ts'
import { hashOf, isSignedBy, logsOf, NO_SEAL, type SealRow, sealKeys } from './seals.ts'

/** Seals read at once. */
const PAGE = 20
const MOST_EXAMPLES = 10

/** A seal, if there is one, and the hashes of its leaves, one after the other. */
type Read = { batch: bigint; journal: Buffer; audit: Buffer } & (SealRow | { [Field in keyof SealRow]: null })

/**
 * Checks the chain of seals: each follows the one before and has the roots over its leaves, and the newest is signed
 * with a secret that we know. `ledger.broken_seals` compares the leaves with the rows.
 * @param client in a transaction with one snapshot
 */
export async function checkSeals(client: Client, secrets: Secrets): Promise<InvariantCheck> {
  const chain = new Chain()
  await client.query(`
    DECLARE seals NO SCROLL CURSOR FOR
    SELECT s.*, coalesce(s.number, b.number) AS batch,
           (SELECT coalesce(string_agg(leaf, '' ORDER BY n), '')
              FROM unnest(b.transaction_hashes) WITH ORDINALITY AS one (leaf, n)) AS journal,
           (SELECT coalesce(string_agg(leaf, '' ORDER BY n), '')
              FROM unnest(b.audit_hashes) WITH ORDINALITY AS one (leaf, n)) AS audit
      FROM ledger.seals s FULL JOIN ledger.seal_batches b ON b.number = s.number
     ORDER BY batch`)
  for (;;) {
    const { rows } = await client.query<Read>(`FETCH ${PAGE} FROM seals`)
    for (const row of rows) chain.add(row)
    if (rows.length < PAGE) break
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
  #journal: Log = emptyLog
  #audit: Log = emptyLog
  #waiting: bigint | undefined

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

  #requireRoots(row: SealRow & Pick<Read, 'journal' | 'audit'>): void {
    const journal = append(this.#journal, row.journal)
    const audit = append(this.#audit, row.audit)
    const fits =
      BigInt(journal.size) === row.journal_size &&
      BigInt(audit.size) === row.audit_size &&
      rootOf(journal).equals(row.journal_root) &&
      rootOf(audit).equals(row.audit_root)
    const stated = logsOf(row)
    if (!fits || stated === undefined) this.#fault(row.number, 'does not fit its leaves')
    // Continues from what the seal states, so that one fault does not show in every later seal.
    this.#journal = stated?.journal ?? journal
    this.#audit = stated?.audit ?? audit
  }

  #fault(seal: bigint, fault: string): void {
    this.faults++
    if (this.examples.length < MOST_EXAMPLES) this.examples.push({ seal: Number(seal), fault })
  }
}
