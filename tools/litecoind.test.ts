import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findLitecoind, installLitecoind } from './litecoind.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-litecoind-tools-'))
  vi.stubEnv('LITECOIND_PATH', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

function program(name: string, script = ''): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

describe('the node of the Bitcoin rail’s tests', () => {
  test('LITECOIND_PATH comes before every other, and must be there', () => {
    const path = program('my-node')
    vi.stubEnv('LITECOIND_PATH', path)
    expect(findLitecoind()).toBe(path)
    vi.stubEnv('LITECOIND_PATH', '/nowhere/litecoind')
    expect(() => findLitecoind()).toThrow('LITECOIND_PATH: there is no file /nowhere/litecoind')
  })

  test('it is found in the PATH', () => {
    const path = program('litecoind')
    vi.stubEnv('PATH', folder)
    expect(findLitecoind()).toBe(path)
  })

  test.runIf(existsSync('/usr/bin/apt-get'))('root gets it from apt, after an update', async () => {
    const calls = join(folder, 'calls')
    program('apt-get', `echo "$@" >> ${calls}; [ "$1" = update ] || cp "$0" ${folder}/litecoind`)
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0)
    expect(await installLitecoind()).toBe(join(folder, 'litecoind'))
    expect(readFileSync(calls, 'utf8')).toBe('update\ninstall -y --no-install-recommends litecoind\n')
  })

  test('an ordinary user without one learns what to do', async () => {
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1000)
    await expect(installLitecoind()).rejects.toThrow(
      'No litecoind was found. Install litecoind 0.21, or set LITECOIND_PATH to it.',
    )
  })
})
