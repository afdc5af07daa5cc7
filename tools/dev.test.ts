import { chmodSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { descendantsOf, isAlive, type Watched, watch } from '#test/support/processes.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { freePort } from './free-port.ts'

const ROOT = join(import.meta.dirname, '..')
let folder: string
let dev: Watched

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probity-dev-'))
  chmodSync(folder, 0o711)
})
afterEach(async () => {
  dev.child.kill('SIGTERM')
  await dev.ended()
  rmSync(folder, { recursive: true, force: true })
})

function serverPid(): number | undefined {
  return [...descendantsOf(dev.child.pid!)].find(([, command]) => command.includes('dev-server.ts'))?.[0]
}

test.runIf(findChromium() !== null)(
  '[M-05] npm run dev shows pages, reloads and stops without an error',
  async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: join(folder, 'data') }
    dev = watch(process.execPath, ['tools/run.mjs', 'tools/dev.ts'], { cwd: ROOT, env })
    await dev.said(new RegExp(`Listening on ${origin}\\n`), 240_000)

    const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumFlags })
    const errors: string[] = []
    try {
      const page = await browser.newPage()
      page.on('console', message => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', error => errors.push(error.message))
      await page.goto(origin)
      await page.goto(`${origin}/login`)
      await page.getByLabel('Email').fill('investor@probity.test')
      await page.getByLabel('Password', { exact: true }).fill('demo-investor')
      await page.keyboard.press('Enter')
      await page.waitForURL(`${origin}/dashboard/home`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(errors).toEqual([])
    } finally {
      await browser.close()
    }

    const first = serverPid()!
    const now = new Date()
    utimesSync(join(ROOT, 'server/process/web.ts'), now, now)
    await dev.said(/Listening on .*Listening on /s, 240_000)
    expect(isAlive(first)).toBe(false)
    const second = serverPid()!
    dev.child.kill('SIGINT')
    expect(await dev.ended()).toBe(0)
    expect(isAlive(second)).toBe(false)
    // A job that was running may still log its end.
    expect(dev.output()).toMatch(/^Stopping …$/m)
    expect(dev.output()).not.toMatch(/\b(WARN|ERROR|FATAL)\b|\b(warning|error):|^\s+at /im)
  },
  300_000,
)
