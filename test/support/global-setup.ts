import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { deleteEmbedded, startEmbedded } from '#server/platform/database/embedded.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { isAlive } from './processes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection strings of the run's server; its database `probity` is the migrated template. */
    postgres: { ownerUrl: string; appUrl: string; superuserUrl: string }
  }
}

/** One embedded PostgreSQL a run, with a migrated template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned()
  const folder = mkdtempSync(join(tmpdir(), `probity-test-${process.pid}-`))
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

/** A run that was killed leaves its server behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^probity-test-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    await deleteEmbedded(join(tmpdir(), name, 'data'))
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
