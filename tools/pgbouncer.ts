import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** The pooler of connections that tests run before their PostgreSQL. */
const pgbouncer: DebianProgram = {
  name: 'pgbouncer',
  variable: 'PGBOUNCER_PATH',
  packages: ['pgbouncer'],
  elsewhere: 'PgBouncer',
}

export const findPgbouncer = () => findProgram(pgbouncer)
export const installPgbouncer = () => installProgram(pgbouncer)
