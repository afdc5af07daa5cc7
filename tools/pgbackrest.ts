import { type DebianProgram, findPostgresFolder, findProgram, installProgram } from './debian.ts'

/** Programs that a restore and its check need; the embedded PostgreSQL has the first three only. */
const CALLED = ['initdb', 'postgres', 'pg_ctl', 'pg_isready', 'psql']

/** Backups. It knows no PostgreSQL that is newer than itself, so tests run the one of the same Debian. */
const pgbackrest: DebianProgram = {
  name: 'pgbackrest',
  variable: 'PGBACKREST_PATH',
  packages: ['pgbackrest', 'postgresql'],
  elsewhere: 'pgBackRest and PostgreSQL',
}

export const findPostgresPrograms = () => findPostgresFolder(CALLED)
export const findPgbackrest = () => (findPostgresPrograms() === null ? null : findProgram(pgbackrest))
export const installPgbackrest = () => installProgram(pgbackrest)
