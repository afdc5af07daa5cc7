import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { descendantsOf, isAlive, until, type Watched, watch } from '#test/support/processes.ts'

const ROOT = join(import.meta.dirname, '..')
/** Everything that a build reads, besides the packages. */
const SOURCES = [
  'web',
  'shared',
  'verifier',
  'server',
  'tools',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

let root: string
let started: Watched[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'probity-build-'))
  started = []
  for (const name of [...SOURCES, 'vite.config.ts', 'rolldown.config.ts'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGTERM')
    await ended()
  }
  rmSync(root, { recursive: true, force: true })
})

function build(): Watched {
  const watched = watch(process.execPath, [join(root, 'tools/run.mjs'), '--as-is', 'tools/build.ts'], {
    cwd: root,
  })
  started.push(watched)
  return watched
}

/** Everything that browsers are sent to run. */
function scripts(): string {
  const assets = join(root, 'build/client/assets')
  const files = readdirSync(assets).filter(name => name.endsWith('.js'))
  expect(files).not.toEqual([])
  return files.map(name => readFileSync(join(assets, name), 'utf8')).join('\n')
}

/** The process id of its builder. */
async function viteOf({ child }: Watched): Promise<number> {
  const find = () => [...descendantsOf(child.pid!)].find(([, command]) => command.includes('vite'))?.[0]
  await until(() => find() !== undefined)
  return find()!
}

test('[M-01, M-02] a second build waits; an interrupted one takes Vite with it', async () => {
  const first = build()
  const vite = await viteOf(first)
  const second = build()
  await second.said(/^Another start \(process (\d+)\) is building the product; waiting for it …$/m)
  first.child.kill('SIGTERM')
  expect(await first.ended()).toBe(143)
  expect(first.output()).toBe('Interrupted\n')
  expect(isAlive(vite)).toBe(false)
  expect(existsSync(join(root, 'build/pages.sha256'))).toBe(false)

  await viteOf(second)
  const third = build()
  await third.said(/waiting for it …$/m)
  expect(await second.ended()).toBe(0)
  const builtAt = () => statSync(join(root, 'build/pages.sha256')).mtimeMs
  const secondBuiltAt = builtAt()
  expect(await third.ended()).toBe(0)
  expect(builtAt()).toBe(secondBuiltAt)
  expect(scripts().includes('jsxDEV')).toBe(false)
  // A machine that needs longer than a minute says each minute what it does.
  expect(third.output()).toMatch(/waiting for it …\n(?: {2}… Building the product\n)* {2}✓ Product built/)
})
