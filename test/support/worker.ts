import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { MAIN } from '#tools/product-build.ts'
import { atEnd } from './clean-up.ts'
import { type Watched, watch } from './processes.ts'
import type { World } from './world.ts'

/**
 * The product's own chain worker, on a world's database.
 * @param env its networks
 */
export function startWorker(world: World, env: Record<string, string>): Watched {
  const folder = mkdtempSync(join(tmpdir(), 'probity-watching-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const started = watch(process.execPath, [MAIN, 'worker'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      TOKEN_SECRET: world.services.config.tokenSecret,
      DATABASE_URL: world.database.appUrl,
      DATABASE_CONNECTIONS: '10',
      ...env,
    },
  })
  atEnd(() => kill(started))
  return started
}

/** kill -9: no time to finish anything. */
export async function kill({ child, ended }: Watched): Promise<void> {
  child.kill('SIGKILL')
  await ended()
}

/** Locks a table while processes start: the pool's limit for idle transactions does not apply. */
export async function lockTable(session: Pick<ClientBase, 'query'>, table: string): Promise<void> {
  await session.query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE ${table} IN EXCLUSIVE MODE`,
  )
}

/** True if a session waits for a lock of a table of this world; other worlds' tables have the same numbers. */
export async function isWaitedFor({ database }: World, table: string): Promise<boolean> {
  const { rowCount } = await database.owner.query(
    `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE NOT l.granted AND l.relation = $1::regclass AND d.datname = current_database()`,
    [table],
  )
  return rowCount! > 0
}
