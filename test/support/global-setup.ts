import type { TestProject } from 'vitest/node'
import { migrate } from '#server/platform/database/migrate.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection strings of the run's server; its database `probity` is the migrated template. */
    postgres: { ownerUrl: string; appUrl: string; superuserUrl: string }
  }
}

/** One embedded PostgreSQL per run, with a migrated template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { ownerUrl, appUrl, superuserUrl, stop } = await startTemporaryPostgres('test')
  try {
    await migrate({ ownerUrl, appUrl })
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('postgres', { ownerUrl, appUrl, superuserUrl })
  return stop
}
