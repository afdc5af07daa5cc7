import { CompiledQuery, type Kysely } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import { asCommitError } from '#server/platform/database/trouble.ts'
import { Grouped, onePerPool } from '#server/platform/grouped.ts'
import { ledgerPosts } from '#server/platform/metrics.ts'
import { currentTraceparent } from '#server/platform/tracing/tracing.ts'
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

/** Executes hot money commands of many callers in groups. One a process and pool. */
export class MoneyWriter {
  readonly #grouped: Grouped<TracedCommand, MoneyOutcome>

  constructor(pool: Pool) {
    this.#grouped = new Grouped({
      most: BATCH,
      atOnce: WRITERS,
      mostWaiting: WAITING,
      aloneAtOnce: WRITERS,
      namesOf: command => [nameOf(command)],
      orderOf: nameOf,
      run: commands => executeAll(pool, commands),
      runAlone: async command => (await executeAll(pool, [command]))[0]!,
      mayDifferAlone: (error, size) => size > 1 && isRefusedStatement(error),
    })
  }

  /**
   * @throws AppError not_ready when too many wait; OutcomeUnknown if the connection is lost (a repetition with the same key
   *   finds out); whatever the database reports otherwise, the command then being undone
   */
  execute(command: MoneyCommand): Promise<MoneyOutcome> {
    return this.#grouped.add(inItsTrace(command))
  }
}

/** The process's writer on a pool of the application's role. */
export const moneyWriter = onePerPool(pool => new MoneyWriter(pool))

function nameOf({ caller, idempotency, id }: MoneyCommand): string {
  return `${caller} ${idempotency?.key ?? id}`
}

const text = `SELECT app.execute_money(ARRAY(SELECT jsonb_populate_recordset(NULL::app.money_command, $1))) AS outcomes`

function inItsTrace(command: MoneyCommand): TracedCommand {
  const traceparent = currentTraceparent()
  return traceparent === null ? command : { ...command, traceparent }
}

/** Commands as JSON of the database's composite type; amounts are text, which a JSON number could not hold. */
function valuesOf(commands: readonly TracedCommand[]): unknown[] {
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

async function executeAll(pool: Pool, commands: readonly TracedCommand[]): Promise<MoneyOutcome[]> {
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
function counted(commands: readonly MoneyCommand[], outcomes: MoneyOutcome[]): MoneyOutcome[] {
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
