import { CompiledQuery, type Kysely } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import { asCommitError } from '#server/platform/database/trouble.ts'
import { ledgerPosts } from '#server/platform/metrics.ts'
import { currentTraceparent } from '#server/platform/tracing/tracing.ts'
import { AppError } from '#shared/errors.ts'
import type { RequestKey } from './idempotency.ts'
import { refusal as booksRefusal, type MoneyRefusal } from './refusals.ts'

/** A hot money command: all that one call of `app.execute_money` needs to know (0040_money_commands.sql). */
export type MoneyCommand = {
  kind: 'withdrawal' | 'investment'
  /** Whose money it is, and who asks. */
  caller: string
  /** Null where the request came without an Idempotency-Key. */
  idempotency: Omit<RequestKey, 'caller'> | null
  /** UUIDv7s of the request's row, and of the ledger's transaction with its hold. */
  id: string
  holdId: string
  amountCents: bigint
  at: Date
  /** Null for a standing order, which no request of the caller's carries out. */
  ip: string | null
  requestId: string
  /** An investment's: the id of the plan version that it was offered. */
  planVersion?: string
  /**
   * A withdrawal's: coin, address, the least that may leave a balance behind, and up to which sum one person may approve.
   * An address that is not in the book is put there under `newAddressId`; without one it is refused.
   */
  payout?: {
    wallet: string
    address: string
    minimumCents: bigint
    singleApprovalCents: bigint
    newAddressId?: string
  }
  /** What the caller will be answered; `invoiceId` and `userName` are filled in. */
  answer: object
}

/** The answer of a command, or the first answer of its key. */
export type MoneyOutcome = { result: unknown } | { refusal: MoneyRefusal }

/** Most commands in one statement. */
const BATCH = 64
/** Statements of one process under way at the same time. */
const WRITERS = 2
/** Most commands of one process that wait; beyond it callers are told to come back. */
const WAITING = 10_000
/** The whole statement was undone, and may simply be run again. */
const againStates = [
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  'PB910', // an address was removed from its book while the statement ran (0024_withdrawals.sql)
]
const TRIES = 8

/** With the trace of the act behind it, which a batch of many acts would lose. */
type TracedCommand = MoneyCommand & { traceparent?: string }

type Waiting = {
  command: TracedCommand
  resolve: (outcome: MoneyOutcome) => void
  reject: (error: unknown) => void
}

/**
 * Executes a list of commands in the caller's transaction (no key twice); what happens to them is committed with it.
 * For requests use `moneyWriter`: it shares one statement among many callers.
 */
export async function executeMoney(tx: Kysely<Schema>, commands: MoneyCommand[]): Promise<MoneyOutcome[]> {
  const { rows } = await tx.executeQuery<{ outcomes: unknown[] }>(
    CompiledQuery.raw(text, valuesOf(commands.map(inItsTrace))),
  )
  return counted(commands, rows[0]!.outcomes.map(outcomeOf))
}

/**
 * Executes hot money commands: those that arrive while a statement is under way become the next one (group commit), so
 * that many callers share the price of one; a lone caller waits for nobody. One a process and pool.
 */
export class MoneyWriter {
  readonly #pool: Pool
  #waiting: Waiting[] = []
  #writing = 0
  #woken = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * @throws AppError not_ready when too many wait; OutcomeUnknown if the connection is lost (a repetition with the same key
   *   finds out); whatever the database reports otherwise, the command then being undone
   */
  execute(command: MoneyCommand): Promise<MoneyOutcome> {
    if (this.#waiting.length >= WAITING) {
      const message = 'The server is busy. Please try again in a moment.'
      return Promise.reject(new AppError('not_ready', message, { retryAfterSeconds: 2 }))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command: inItsTrace(command), resolve, reject })
      this.#wake()
    })
  }

  /** Writes after everything that has just arrived was read, so that it goes together. */
  #wake(): void {
    if (this.#woken) return
    this.#woken = true
    setImmediate(() => {
      this.#woken = false
      while (this.#writing < WRITERS && this.#waiting.length > 0) void this.#write(this.#take())
    })
  }

  /**
   * A free writer's share of those who wait, so that the database works on one list while this process reads the answers
   * of another; in the order of their keys, and no key twice, since the second must find the first one's answer.
   */
  #take(): Waiting[] {
    const share = Math.min(BATCH, Math.ceil(this.#waiting.length / (WRITERS - this.#writing)))
    const taken = new Map<string, Waiting>()
    const left: Waiting[] = []
    for (const waiting of this.#waiting) {
      const { caller, idempotency, id } = waiting.command
      const name = `${caller} ${idempotency?.key ?? id}`
      if (taken.size < share && !taken.has(name)) taken.set(name, waiting)
      else left.push(waiting)
    }
    this.#waiting = left
    return [...taken].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, waiting]) => waiting)
  }

  async #write(batch: Waiting[]): Promise<void> {
    this.#writing++
    try {
      const outcomes = await executeAll(
        this.#pool,
        batch.map(waiting => waiting.command),
      )
      for (const [i, waiting] of batch.entries()) waiting.resolve(outcomes[i]!)
    } catch (error) {
      // One command that cannot be done must not fail the others.
      if (batch.length === 1 || !isRefusedStatement(error)) for (const waiting of batch) waiting.reject(error)
      else for (const waiting of batch) await this.#write([waiting])
    } finally {
      this.#writing--
      if (this.#waiting.length > 0) this.#wake()
    }
  }
}

const writers = new WeakMap<Pool, MoneyWriter>()

/** The process's writer on a pool of the application's role. */
export function moneyWriter(pool: Pool): MoneyWriter {
  const known = writers.get(pool)
  if (known) return known
  const writer = new MoneyWriter(pool)
  writers.set(pool, writer)
  return writer
}

const text = `SELECT app.execute_money(ARRAY(SELECT jsonb_populate_recordset(NULL::app.money_command, $1))) AS outcomes`

function inItsTrace(command: MoneyCommand): TracedCommand {
  const traceparent = currentTraceparent()
  return traceparent === null ? command : { ...command, traceparent }
}

/** Commands as JSON of the database's composite type; amounts are text, which a JSON number could not hold. */
function valuesOf(commands: TracedCommand[]): unknown[] {
  const rows = commands.map(({ idempotency, payout, ...command }) => ({
    kind: command.kind,
    caller: command.caller,
    key: idempotency?.key,
    hash: idempotency === null ? null : `\\x${idempotency.hash.toString('hex')}`,
    id: command.id,
    hold: command.holdId,
    amount: command.amountCents.toString(),
    at: command.at,
    ip: command.ip,
    request_id: command.requestId,
    traceparent: command.traceparent,
    plan_version: command.planVersion,
    wallet: payout?.wallet,
    address: payout?.address,
    minimum: payout?.minimumCents.toString(),
    single_approval: payout?.singleApprovalCents.toString(),
    new_address: payout?.newAddressId,
    answer: command.answer,
  }))
  return [JSON.stringify(rows)]
}

async function executeAll(pool: Pool, commands: TracedCommand[]): Promise<MoneyOutcome[]> {
  const values = valuesOf(commands)
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await pool
        .query<{ outcomes: unknown[] }>({ name: 'execute_money', text, values })
        .catch(error => {
          throw asCommitError(error)
        })
      return counted(commands, rows[0]!.outcomes.map(outcomeOf))
    } catch (error) {
      if (tries === TRIES || !againStates.includes(stateOf(error))) throw error
      await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * tries))
    }
  }
}

/** For the metrics; the first answer of a key counts again. */
function counted(commands: MoneyCommand[], outcomes: MoneyOutcome[]): MoneyOutcome[] {
  for (const [index, { kind }] of commands.entries()) {
    const outcome = 'result' in outcomes[index]! ? 'posted' : 'refused'
    ledgerPosts.inc({ event: `${kind}.requested`, outcome })
  }
  return outcomes
}

function outcomeOf(answer: unknown): MoneyOutcome {
  const outcome = answer as { result: unknown } | { refusal: { code: string } }
  if ('result' in outcome) return outcome
  const { refusal } = outcome
  const known = booksRefusal.safeParse(refusal)
  return { refusal: known.success ? known.data : (refusal as MoneyRefusal) }
}

/** The SQLSTATE that the database answered with, or '' when it did not answer. */
function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : ''
}

/** The database refused the statement: nothing of it was done. Not so when the connection broke or time ran out. */
function isRefusedStatement(error: unknown): boolean {
  const state = stateOf(error)
  return state !== '' && !/^(08|53|55|57)/.test(state)
}
