import type { Readable } from 'node:stream'
import type { Kysely, Transaction } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData, CallDefinition, FileType, Page, ParsedInput } from '#shared/contract/define.ts'
import type { AppError } from '#shared/errors.ts'
import { type ApiKeyRight, may, type Right, type Role } from '#shared/roles.ts'

/** What every handler works with; composed once at the start, replaced in tests. */
export type Services = {
  config: Config
  /** Connections with the application's role. */
  pool: pg.Pool
  db: Kysely<Schema>
  clock: Clock
  log: Logger
}

/** The caller: claims of the signed access token, or an API key of the firm. */
export type Caller = {
  /** An API key's is its own id, which no account has. */
  userId: string
  /** null for investors, and for staff who must first set up a second factor. */
  role: Role | null
  sessionId: string
  /** Staff who must set up a second factor have no role before; this is the one they wait for. */
  mustSetUp?: { role: Role | null }
  /** An API key has these rights, and no role. */
  keyRights?: readonly ApiKeyRight[]
}

/** True if the caller, a member of staff or an API key, has the right. */
export function callerMay({ role, keyRights }: Pick<Caller, 'role' | 'keyRights'>, right: Right): boolean {
  return keyRights === undefined ? may(role, right) : keyRights.some(one => one === right)
}

export type RequestContext = {
  services: Services
  /** null on public calls that need no caller, or without a valid token. */
  caller: Caller | null
  /** In every answer, log line and audit row of the request. */
  requestId: string
  ip: string
  userAgent: string | null
  /** The Idempotency-Key header of a money call with the SHA-256 of call and content (D8). */
  idempotency: { key: string; hash: Buffer } | null
  /** The caller's reason, in their own words. The audit log stores it with every line of the request (N-12). */
  reason: string | null
  /** Its lines carry the request id. */
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
}
export type SignedInContext = RequestContext & { caller: Caller }

type ContextOf<C extends CallDefinition> = C['permission'] extends 'public' ? RequestContext : SignedInContext

/** The answer of a file download: ASCII name, content, and one of the call's types. */
export type FileAnswer = { name: string; content: Readable | Buffer; type?: FileType }

/** The answer of a list call: a page and its data. */
type ResultOf<C extends CallDefinition> = C['list'] extends true
  ? { data: CallData<C>; page: Page }
  : C['file'] extends FileType | readonly FileType[]
    ? FileAnswer
    : CallData<C>

export type Tx = Transaction<Schema>

/** How a handler runs; created by the functions below. */
export type Binding =
  | { kind: 'query'; call: CallDefinition; run: (input: never, ctx: never) => Promise<unknown> }
  | {
      kind: 'act'
      call: CallDefinition
      before?: (input: never, ctx: never) => Promise<void>
      run: (input: never, ctx: never, tx: Tx) => Promise<unknown>
    }
  | {
      kind: 'together'
      call: CallDefinition
      runAll: (asked: never, services: Services, tx: Tx) => Promise<unknown[]>
    }
  | { kind: 'bulk'; call: CallDefinition; one: Act | Together }
  | { kind: 'command'; call: CallDefinition; run: (input: never, ctx: never) => Promise<unknown> }
  | { kind: 'either'; call: CallDefinition; choose: (input: never) => PlainBinding }
export type PlainBinding = Exclude<Binding, { kind: 'either' }>
export type Act = Extract<Binding, { kind: 'act' }>
export type Together = Extract<Binding, { kind: 'together' }>

/** One of the requests, or of a bulk call's records, that an act answers together; records of one call share its context. */
export type Asked<C extends CallDefinition> = { input: ParsedInput<C>; ctx: ContextOf<C> }

/** A read-only call. */
export function query<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>) => Promise<ResultOf<C>>,
): PlainBinding {
  return { kind: 'query', call, run }
}

/**
 * A call with effects: the handler runs in one transaction, with its idempotency key if the call moves money. An error
 * undoes everything; a refusal is stored as the key's answer.
 * @param before what must be committed before that transaction begins
 */
export function act<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>, tx: Tx) => Promise<ResultOf<C>>,
  before?: (input: ParsedInput<C>, ctx: ContextOf<C>) => Promise<void>,
): Act {
  return { kind: 'act', call, run, ...(before && { before }) }
}

/**
 * A call with effects on one record, done for several at once with a few statements for all: for requests that arrive together, each
 * with its own caller and idempotency key, and for the records of a bulk call.
 * @param runAll returns an answer, or the refusal of a record on which it has not acted, for each that asked, no two with the same
 * params; what it throws undoes all
 */
export function actTogether<C extends CallDefinition & { verified?: never }>(
  call: C,
  runAll: (asked: readonly Asked<C>[], services: Services, tx: Tx) => Promise<(ResultOf<C> | AppError)[]>,
): Together {
  return { kind: 'together', call, runAll }
}

/** A call that does the same as another one, with many records (shared/contract/bulk.ts). */
export function bulk(call: CallDefinition, one: Act | Together): Binding {
  return { kind: 'bulk', call, one }
}

/**
 * A call whose handler manages its own transactions: hot money commands, which carry the idempotency key in one
 * prepared statement, and work that must not hold a transaction open (password hashing).
 */
export function command<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>) => Promise<ResultOf<C>>,
): PlainBinding {
  return { kind: 'command', call, run }
}

/** A call whose kind depends on its input. */
export function either<C extends CallDefinition>(
  call: C,
  choose: (input: ParsedInput<C>) => PlainBinding,
): Binding {
  return { kind: 'either', call, choose }
}
