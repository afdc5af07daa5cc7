import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findChromium, installChromium } from './chromium.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-chromium-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

function program(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

describe('the browser of the journeys', () => {
  test('CHROMIUM_PATH comes before every other', () => {
    const path = program('my-browser')
    vi.stubEnv('CHROMIUM_PATH', path)
    expect(findChromium()).toBe(path)
  })

  test('a CHROMIUM_PATH that is not there is named', () => {
    vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium')
    expect(() => findChromium()).toThrow('CHROMIUM_PATH: there is no file /nowhere/chromium')
  })

  test.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])(
    '%s is found in the PATH',
    name => {
      const path = program(name)
      vi.stubEnv('CHROMIUM_PATH', '')
      vi.stubEnv('PATH', folder)
      expect(findChromium()).toBe(path)
    },
  )

  test.runIf(existsSync('/usr/bin/apt-get'))('root gets it from apt, after an update', async () => {
    const calls = join(folder, 'calls')
    const install = `echo "$@" >> ${calls}; [ "$1" = update ] || cp "$0" ${folder}/chromium`
    writeFileSync(program('apt-get'), `#!/bin/sh\n${install}\n`)
    vi.stubEnv('CHROMIUM_PATH', '')
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0)
    expect(await installChromium()).toBe(join(folder, 'chromium'))
    expect(readFileSync(calls, 'utf8')).toBe('update\ninstall -y --no-install-recommends chromium\n')
  })

  test('an ordinary user without one learns what to do', async () => {
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1000)
    await expect(installChromium()).rejects.toThrow(
      'No browser was found. Install Chromium or Chrome, or set CHROMIUM_PATH to one.',
    )
  })
})
