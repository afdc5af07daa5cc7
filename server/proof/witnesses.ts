import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { WitnessPolicy } from '#server/config/witness-policy.ts'
import type { Clock } from '#server/platform/clock.ts'
import { defineTask } from '#server/platform/queue.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { Invalid } from '#verifier/errors.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { cosignatures, parseNote } from '#verifier/note.mjs'
import type { Witness } from '#verifier/policy.mjs'
import { storeCosignature } from './cosignatures.ts'
import { publicProofKey } from './keys.ts'
import { vkeyOf } from './note.ts'
import { LogHashes } from './paths.ts'

/** The log's side of C2SP tlog-witness. */

const ANSWER_MS = 20_000
const MOST_ATTEMPTS = 2
const MOST_ANSWER_BYTES = 16_384
/** How far a witness's clock may be behind the moment when the checkpoint was signed. */
const MOST_EARLIER_MS = 3_600_000

/** Has the newest checkpoint cosigned; queued when an epoch ends. */
export const askWitnesses = defineTask('ask_witnesses', z.unknown())

export type WitnessOptions = {
  pool: Pool
  config: { readonly witnesses: WitnessPolicy | null }
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

type Newest = { number: bigint; size: number; checkpoint: string; closed_at: Date }
/** The outcome of a request, as it is kept in `app.witnesses`. */
type Outcome = {
  state: 'cosigned' | 'unreachable' | 'refused' | 'forked'
  size: number
  problem: string | null
}

/**
 * Submits the newest checkpoint to each witness that has not cosigned it, and publishes the policy that names them.
 * @param all also to those that have: they say if they have seen more than this database has
 * @throws Error if a witness could not be reached
 */
export async function submitNewest(options: WitnessOptions, { all = false } = {}): Promise<void> {
  const { pool, config } = options
  await publishPolicy(options)
  const newest = await newestEpoch(pool)
  if (config.witnesses === null || newest === undefined) return
  const { rows } = await pool.query<{ vkey: string }>(
    'SELECT vkey FROM ledger.cosignatures WHERE epoch = $1',
    [newest.number],
  )
  const done = new Set(all ? [] : rows.map(({ vkey }) => vkey))
  const asked = [...config.witnesses.policy.witnesses.values()].filter(({ vkey }) => !done.has(vkey))
  const outcomes = await Promise.all(asked.map(witness => submit(options, witness, newest)))
  const unreachable = outcomes.find(({ state }) => state === 'unreachable')
  if (unreachable !== undefined) throw new Error(`not every witness answered: ${unreachable.problem}`)
}

/** The firm's policy as everybody gets it: with the log that it is about. */
async function publishPolicy({ pool, config }: WitnessOptions): Promise<void> {
  const key = await publicProofKey(pool, 'log')
  if (config.witnesses === null || key === undefined) {
    await pool.query('DELETE FROM app.witness_policy')
    return
  }
  const { text, policy } = config.witnesses
  const vkey = vkeyOf(key)
  const isNamed = policy.logs.some(log => log.vkey === vkey)
  await pool.query(
    `INSERT INTO app.witness_policy (policy) VALUES ($1)
         ON CONFLICT (one) DO UPDATE SET policy = excluded.policy WHERE witness_policy.policy <> excluded.policy`,
    [isNamed ? text : `log ${vkey}\n${text}`],
  )
}

async function newestEpoch(pool: Pool): Promise<Newest | undefined> {
  const { rows } = await pool.query<Omit<Newest, 'size'> & { size: bigint }>(
    'SELECT number, size, checkpoint, closed_at FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  return rows[0] && { ...rows[0], size: Number(rows[0].size) }
}

async function submit(options: WitnessOptions, witness: Witness, newest: Newest): Promise<Outcome> {
  const { pool, clock, log } = options
  const { rows } = await pool.query<{ size: bigint }>('SELECT size FROM app.witnesses WHERE vkey = $1', [
    witness.vkey,
  ])
  const known = Number(rows[0]?.size ?? 0n)
  const outcome = await exchange(options, witness, newest, known).catch((error: Error): Outcome => {
    return { state: 'unreachable', size: known, problem: reasonOf(error) }
  })
  // A fork that was seen stays one while the witness is away: only its cosignature ends it.
  await pool.query(
    `INSERT INTO app.witnesses (vkey, size, asked_at, state, problem) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (vkey) DO UPDATE SET size = excluded.size, asked_at = excluded.asked_at, state = excluded.state,
                                          problem = excluded.problem
          WHERE witnesses.state <> 'forked' OR excluded.state IN ('forked', 'cosigned')`,
    [witness.vkey, outcome.size, clock.now(), outcome.state, outcome.problem],
  )
  const words = `the witness ${witness.name} has not cosigned epoch ${newest.number}: ${outcome.problem}`
  if (outcome.state === 'unreachable') log.warn({ witness: witness.name }, words)
  else if (outcome.state !== 'cosigned') log.error({ alarm: 'ledger', check: 'witnesses' }, words)
  return outcome
}

/** One request, and a second one if the witness has seen another size than we thought. */
async function exchange(
  options: WitnessOptions,
  witness: Witness,
  newest: Newest,
  known: number,
): Promise<Outcome> {
  let old = Math.min(known, newest.size)
  for (let attempt = 1; ; attempt++) {
    const { status, type, text } = await post(witness, await requestOf(options.pool, newest, old))
    if (status === 200) return await accept(options, witness, newest, text)
    const seen = status === 409 && type === 'text/x.tlog.size' ? sizeIn(text) : undefined
    if (seen === undefined) return refusal(status, known)
    if (seen > newest.size) return await aheadOf(options.pool, seen)
    if (attempt === MOST_ATTEMPTS)
      return { state: 'unreachable', size: seen, problem: 'it changed its size between two requests' }
    old = seen
  }
}

/** A witness that has seen more: another process ended an epoch meanwhile, or the database is of an earlier time. */
async function aheadOf(pool: Pool, seen: number): Promise<Outcome> {
  const size = (await newestEpoch(pool))!.size
  if (seen <= size) return { state: 'unreachable', size: seen, problem: 'it has a newer checkpoint already' }
  const problem = `it has cosigned a log of ${seen} leaves, and the database has ${size}`
  return { state: 'forked', size: seen, problem }
}

function refusal(status: number, size: number): Outcome {
  const problems = new Map([
    [403, 'it does not know the key of the log (403)'],
    [404, 'it does not know the log (404)'],
    [400, 'it does not understand the request (400)'],
  ])
  if (status === 422)
    return { state: 'forked', size, problem: 'the log does not continue what it has cosigned (422)' }
  if (status === 409)
    return { state: 'forked', size, problem: 'it has cosigned another log of this size (409)' }
  const problem = problems.get(status)
  if (problem !== undefined) return { state: 'refused', size, problem }
  return { state: 'unreachable', size, problem: `it answered ${status}` }
}

async function accept(
  { pool, clock, log }: WitnessOptions,
  witness: Witness,
  { number, size, checkpoint, closed_at }: Newest,
  lines: string,
): Promise<Outcome> {
  const now = clock.now()
  const refused = (problem: string): Outcome => ({ state: 'refused', size, problem })
  try {
    const note = parseNote(checkpoint + lines)
    const [cosignature] = cosignatures(note, [witness], nodeHashes, now)
    const own = note.signatures.find(({ name, keyId }) => name === witness.name && keyId === witness.keyId)
    if (cosignature === undefined || own === undefined)
      return refused('its answer has no cosignature of its key')
    const cosignedAt = new Date(cosignature.time * 1000)
    if (cosignedAt.getTime() < closed_at.getTime() - MOST_EARLIER_MS) {
      return refused('its cosignature is older than the checkpoint')
    }
    const signature = Buffer.concat([Buffer.from(own.keyId, 'hex'), own.signature]).toString('base64')
    const line = `— ${witness.name} ${signature}`
    await storeCosignature(
      pool,
      { epoch: number, kind: 'witness', vkey: witness.vkey, line, cosignedAt },
      now,
    )
    log.info({ witness: witness.name, epoch: number.toString() }, 'checkpoint cosigned')
    return { state: 'cosigned', size, problem: null }
  } catch (error) {
    if (error instanceof Invalid) return refused(error.message)
    throw error
  }
}

/** @returns a body of add-checkpoint (C2SP tlog-witness) */
async function requestOf(pool: Pool, { size, checkpoint }: Newest, old: number): Promise<string> {
  const proof = await new LogHashes(pool, size).consistency(old)
  return `old ${old}\n${proof.map(hash => `${hash.toString('base64')}\n`).join('')}\n${checkpoint}`
}

async function post({ url }: Witness, body: string) {
  const response = await send(`${url?.replace(/\/+$/, '')}/add-checkpoint`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > MOST_ANSWER_BYTES) throw new Error('its answer is too long')
    parts.push(part)
  }
  const type = response.headers.get('content-type')?.split(';')[0]?.trim()
  return { status: response.status, type, text: Buffer.concat(parts).toString() }
}

function sizeIn(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})\n$/.test(text) ? Number(text) : undefined
}

function reasonOf({ message, cause }: Error): string {
  return (cause as Error | undefined)?.message ?? message
}

/** Why no epoch may be signed: a witness of the policy has cosigned what this database does not continue. */
export async function witnessedElsewhere(
  client: PoolClient,
  witnesses: WitnessPolicy | null,
): Promise<string | undefined> {
  const vkeys = [...(witnesses?.policy.witnesses.values() ?? [])].map(({ vkey }) => vkey)
  const { rows } = await client.query<{ name: string; problem: string }>(
    `SELECT split_part(vkey, '+', 1) AS name, problem FROM app.witnesses
      WHERE state = 'forked' AND vkey = ANY ($1) ORDER BY vkey LIMIT 1`,
    [vkeys],
  )
  return rows[0] && `the witness ${rows[0].name} says: ${rows[0].problem}`
}

/** How many witnesses of the policy have not cosigned the newest checkpoint. */
export async function missingCosignatures({
  pool,
  config,
}: Pick<WitnessOptions, 'pool' | 'config'>): Promise<number> {
  if (config.witnesses === null) return 0
  const vkeys = [...config.witnesses.policy.witnesses.values()].map(({ vkey }) => vkey)
  const { rows } = await pool.query<{ missing: bigint }>(
    `SELECT count(*) AS missing FROM unnest($1::text[]) AS w (vkey)
      WHERE NOT EXISTS (SELECT FROM ledger.cosignatures c
                         WHERE c.vkey = w.vkey AND c.epoch = (SELECT max(number) FROM ledger.epochs))
        AND EXISTS (SELECT FROM ledger.epochs)`,
    [vkeys],
  )
  return Number(rows[0]!.missing)
}
