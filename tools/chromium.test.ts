import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findChromium, installChromium, provideChromium } from './chromium.ts'

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

  test.each([
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ])('%s is found in the PATH', name => {
    const path = program(name)
    vi.stubEnv('CHROMIUM_PATH', '')
    vi.stubEnv('PATH', folder)
    expect(findChromium()).toBe(path)
  })

  describe.runIf(existsSync('/usr/bin/apt-get'))('installed by root', () => {
    const shell = () => join(folder, 'chromium-headless-shell')
    /** Puts an apt-get into the PATH that only knows these packages. */
    function apt(...packages: string[]) {
      const known = packages.map(name => `*" ${name} "*) cp "$0" ${folder}/${name};;`).join(' ')
      const script = `echo "$1 $4" >> ${folder}/calls; case "$* " in update*) ;; ${known} *) exit 100;; esac`
      writeFileSync(program('apt-get'), `#!/bin/sh\n${script}\n`)
      vi.stubEnv('CHROMIUM_PATH', '')
      vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
      vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0)
    }
    const calls = () => readFileSync(join(folder, 'calls'), 'utf8')

    test('it is the headless shell, after an update', async () => {
      apt('chromium', 'chromium-headless-shell')
      expect(await installChromium()).toBe(shell())
      expect(calls()).toMatch(/^update .*\ninstall chromium-headless-shell\n$/)
    })

    test('it is Chromium where Debian has no shell yet', async () => {
      apt('chromium')
      await installChromium()
      expect(calls()).toMatch(/\ninstall chromium-headless-shell\ninstall chromium\n$/)
    })

    test('a shell that is there is used without apt', async () => {
      apt()
      expect(await provideChromium(program('chromium-headless-shell'))).toBe(shell())
      expect(existsSync(join(folder, 'calls'))).toBe(false)
    })

    test('where the shell cannot be had, the browser that is there is used', async () => {
      apt()
      expect(await provideChromium('/usr/bin/google-chrome')).toBe('/usr/bin/google-chrome')
      expect(calls()).toMatch(/^update .*\ninstall chromium-headless-shell\n$/)
      await expect(provideChromium(null)).rejects.toThrow('apt-get install failed: ')
    })
  })

  test('an ordinary user without one learns what to do', async () => {
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1000)
    await expect(installChromium()).rejects.toThrow(
      'No browser was found. Install Chromium or Chrome, or set CHROMIUM_PATH to one.',
    )
  })
})
