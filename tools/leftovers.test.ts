import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { endAbandonedRuns, runPrefix } from './leftovers.ts'
import { testFolder, testFolders } from './test-folder.ts'

test.each(testFolders.filter(existsSync))(
  '[M-03] what a killed run left in %s is removed, a running one is not',
  async parent => {
    const { pid } = spawnSync('true')
    const [ended, running] = [pid, process.pid].map(id => join(parent, `${runPrefix}${id}-leftovers`))
    for (const folder of [ended!, running!]) {
      mkdirSync(folder)
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    }
    writeFileSync(join(ended!, 'file'), '')
    await endAbandonedRuns()
    expect([existsSync(ended!), existsSync(running!)]).toEqual([false, true])
  },
)

test('TMPDIR decides where a run has its files', () => {
  vi.stubEnv('TMPDIR', '/somewhere')
  expect(testFolder()).toBe(tmpdir())
})
