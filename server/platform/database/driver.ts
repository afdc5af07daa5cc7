import { PostgresDialect, type PostgresDialectConfig, PostgresDriver } from 'kysely'
import { asCommitError } from './trouble.ts'

/** Kysely's dialect of PostgreSQL, whose transactions say when their outcome is unknown. */
export class Dialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): PostgresDriver {
    return new Driver(this.#config)
  }
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0]

class Driver extends PostgresDriver {
  /** @throws OutcomeUnknown if the connection is lost before the answer */
  override async commitTransaction(connection: Connection): Promise<void> {
    await super.commitTransaction(connection).catch(error => {
      throw asCommitError(error)
    })
  }

  /** A failure would hide what ended the transaction; PostgreSQL rolls back whatever loses its connection. */
  override async rollbackTransaction(connection: Connection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}
