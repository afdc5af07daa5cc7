import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '#server/platform/database/embedded.ts'
import { migrate } from '#server/platform/database/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection strings of the run's server; its database `probity` is the migrated template. */
    postgres: { ownerUrl: string; appUrl: string; superuserUrl: string }
  }
}

/** One embedded PostgreSQL a run, with a migrated template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-test-'))
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  const { ownerUrl, appUrl, superuserUrl, stop } = await startEmbedded(join(folder, 'data'))
  const teardown = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await migrate({ ownerUrl, appUrl })
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('postgres', { ownerUrl, appUrl, superuserUrl })
  return teardown
}
