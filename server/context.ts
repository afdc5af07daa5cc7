import type { Readable } from 'node:stream'
import type { Kysely, Transaction } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData, CallDefinition, FileType, Page, ParsedInput } from '#shared/contract/define.ts'
import type { Role } from '#shared/roles.ts'

/** What every handler works with; composed once by main.ts, replaced as a whole by tests. */
export type Services = {
  config: Config
  /** Connections of the application's role. */
  pool: pg.Pool
  db: Kysely<Schema>
  clock: Clock
  log: Logger
}

/** Who makes a call: the signed access token's claims. */
export type Caller = {
  userId: string
  /** Null for investors, and for staff who have to set up a second factor first. */
  role: Role | null
  sessionId: string
  mustSetUp?: true
}

export type RequestContext = {
  services: Services
  /** Null on public calls that are not told who calls, or were made without a valid token. */
  caller: Caller | null
  /** In every answer, log line and audit row of the request. */
  requestId: string
  ip: string
  userAgent: string | null
  /** The Idempotency-Key header of a money call with the SHA-256 of call and content (D8). */
  idempotency: { key: string; hash: Buffer } | null
  /** Why the caller acts, in their own words. The audit log keeps it with every line of the request (N-12). */
  reason: string | null
  /** Its lines carry the request id. */
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
}
export type SignedInContext = RequestContext & { caller: Caller }

type ContextOf<C extends CallDefinition> = C['permission'] extends 'public' ? RequestContext : SignedInContext

/** What a call answers that answers a file: its name, in ASCII, its content, and which of the call's types it is of. */
export type FileAnswer = { name: string; content: Readable | Buffer; type?: FileType }

/** A list call answers its page beside the data. */
type ResultOf<C extends CallDefinition> = C['list'] extends true
  ? { data: CallData<C>; page: Page }
  : C['file'] extends FileType | readonly FileType[]
    ? FileAnswer
    : CallData<C>

export type Tx = Transaction<Schema>

/** How a call's handler is run; see the makers below. */
export type Binding =
  | { kind: 'query'; call: CallDefinition; run: (input: never, ctx: never) => Promise<unknown> }
  | { kind: 'act'; call: CallDefinition; run: (input: never, ctx: never, tx: Tx) => Promise<unknown> }
  | { kind: 'command'; call: CallDefinition; run: (input: never, ctx: never) => Promise<unknown> }
  | { kind: 'either'; call: CallDefinition; choose: (input: never) => PlainBinding }
export type PlainBinding = Exclude<Binding, { kind: 'either' }>

/** A call that only reads. */
export function query<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>) => Promise<ResultOf<C>>,
): PlainBinding {
  return { kind: 'query', call, run }
}

/**
 * A call that changes something: the handler runs inside one transaction, together with its idempotency key
 * where the call moves money. What it throws undoes everything; a refusal is kept as the key's answer.
 */
export function act<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>, tx: Tx) => Promise<ResultOf<C>>,
): PlainBinding {
  return { kind: 'act', call, run }
}

/**
 * A call whose handler makes its own transactions: the hot money commands, each one prepared statement that
 * carries its idempotency key itself, and what must not hold a transaction open (password hashing).
 */
export function command<C extends CallDefinition>(
  call: C,
  run: (input: ParsedInput<C>, ctx: ContextOf<C>) => Promise<ResultOf<C>>,
): PlainBinding {
  return { kind: 'command', call, run }
}

/** A call that is run in one way or another, as its input says. */
export function either<C extends CallDefinition>(
  call: C,
  choose: (input: ParsedInput<C>) => PlainBinding,
): Binding {
  return { kind: 'either', call, choose }
}
