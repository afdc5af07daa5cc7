import { escapeIdentifier, escapeLiteral, Query, type QueryConfig } from 'pg'

/** Settings of PostgreSQL, by name. */
export type Settings = Readonly<Record<string, string | number>>

/** The statements that set them, for a session or for a transaction. */
export function setStatements(settings: Settings, command: 'SET' | 'SET LOCAL'): string {
  return Object.entries(settings)
    .map(([name, value]) => `${command} ${escapeIdentifier(name)} = ${escapeLiteral(String(value))}`)
    .join('; ')
}

type Callback = (error: Error | null, result?: unknown) => void
type Messages = {
  callback?: Callback
  submit(connection: Wire): Error | null
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
}
/** What pg sends on a connection (its protocol's messages). */
type Wire = {
  stream: { cork(): void; uncork(): void }
  parse(statement: { text: string }): void
  bind(portal: object): void
  execute(portal: { portal: string }): void
}

/** pg declares neither the constructor's callback nor the handlers. */
const PgQuery = Query as unknown as new (
  config: QueryConfig & { queryMode: 'extended' },
  values?: unknown,
  callback?: unknown,
) => Messages

/**
 * A statement outside a transaction, with settings for it alone: PostgreSQL runs all that arrives before one Sync as one
 * transaction, so this takes one round trip.
 */
export class QueryWithSettings extends PgQuery {
  readonly #setting: string
  #isSet = false

  /** @param given text or configuration, values, and callback, as pg takes them */
  constructor(settings: Settings, [first, ...rest]: readonly unknown[]) {
    const config = typeof first === 'string' ? { text: first } : (first as QueryConfig)
    // Without a name: pg would take the end of our own Parse for that of the named statement's.
    super({ ...config, name: undefined, queryMode: 'extended' }, ...rest)
    const calls = Object.entries(settings).map(
      ([name, value]) =>
        `pg_catalog.set_config(${escapeLiteral(name)}, ${escapeLiteral(String(value))}, true)`,
    )
    this.#setting = `SELECT ${calls.join(', ')}`
  }

  override submit(connection: Wire): Error | null {
    connection.stream.cork()
    try {
      connection.parse({ text: this.#setting })
      connection.bind({})
      connection.execute({ portal: '' })
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, connection)
    this.#isSet = true
  }
}
