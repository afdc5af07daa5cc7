import type { TestProject } from 'vitest/node'
import { migrate } from '#server/platform/database/migrate.ts'
import { buildServer } from '#tools/product-build.ts'
import { administer, startTemporaryPostgres } from './temporary-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection strings of the run's server; its database `probity`, the migrated template, takes no session. */
    postgres: { ownerUrl: string; appUrl: string; superuserUrl: string }
  }
}

/** One embedded PostgreSQL per run, with a migrated template that every test file clones, and the server as it is built. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildServer(console.log)
  const { ownerUrl, appUrl, superuserUrl, stop } = await startTemporaryPostgres('test')
  try {
    await migrate({ ownerUrl, appUrl })
    // PostgreSQL copies only a database that nobody uses: a session there would fail other files.
    const closed = 'ALTER DATABASE probity ALLOW_CONNECTIONS false'
    // Statistics, collected at any moment, would give the same test another plan each time.
    const planned = 'ALTER SYSTEM SET autovacuum = off'
    await administer(superuserUrl, closed, planned, 'SELECT pg_reload_conf()')
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('postgres', { ownerUrl, appUrl, superuserUrl })
  return stop
}
