import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { readFrom } from '#server/platform/database/replica.ts'
import type { Part } from './serve.ts'

/** Long and heavy reads of requests go to a standby, if one is configured. */
export const replicaPart: Part = async (services, life) => {
  const { config } = services
  const url = config.database?.readUrl ?? null
  if (url === null) return
  const max = config.databaseConnections
  const pool = openPool({ url, as: 'app', name: 'probity reads', max, readOnly: true })
  await life.own(() => pool.end())
  const stop = readFrom({ pool, db: openDatabase(pool) }, services)
  await life.own(async () => stop())
}
