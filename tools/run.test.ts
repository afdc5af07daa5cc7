import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isAlive, until, type Watched, watch } from '#test/support/processes.ts'
import { canMount, smallDisk } from '#test/support/small-disk.ts'

/** A Node older than the scripts need, as a user may have; npm test runs under it. */
const oldNode = [process.env.npm_node_execpath, '/usr/bin/node', '/usr/local/bin/node'].find(path => {
  const version = path === undefined ? '' : spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout
  return /^v2[0-3]\./.test(version ?? '')
})

const LOCK = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/for-another-platform': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  },
}
const INSTALLED = { packages: { 'node_modules/a': LOCK.packages['node_modules/a'] } }

/** A script that reports its process id and what stopped it. */
const WAITING = `
  const stop = (why: string) => { console.log(why); process.exit(3) }
  process.on('SIGINT', () => stop('signal'))
  process.on('SIGTERM', () => stop('signal'))
  process.on('disconnect', () => stop('alone'))
  setInterval(() => {}, 1000)
  console.log('pid', process.pid)`

let root: string
let started: Watched[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'probity-run-'))
  started = []
  for (const name of ['run.mjs', 'lock.mjs'])
    cpSync(join(import.meta.dirname, name), join(root, 'tools', name))
  write('package-lock.json', JSON.stringify(LOCK))
  write('node_modules/.package-lock.json', JSON.stringify(INSTALLED))
  write(
    'tools/hello.ts',
    "const word: string = 'hello'\nconsole.log(word, process.argv.slice(2).join(), process.version)\n",
  )
  // A stand-in for npm that records how it was called.
  write(
    'npm-cli.js',
    "require('fs').writeFileSync(__dirname + '/npm-called', process.argv.slice(2).join(' '))\n",
  )
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended()
  }
  rmSync(root, { recursive: true, force: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Puts this Node where the npm package `node` has its own. */
function installNode(path = 'node_modules/node/bin/node'): void {
  write(path, `#!/bin/sh\nexec ${process.execPath} "$@"\n`)
  chmodSync(join(root, path), 0o755)
}

function run(node: string, ...args: string[]): Watched {
  const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js') }
  const watched = watch(node, [join(root, 'tools/run.mjs'), ...args], { cwd: root, env })
  started.push(watched)
  return watched
}

describe('the bootstrap', () => {
  test("installed packages suffice: npm is not called, other platforms' may be missing", async () => {
    const hello = run(process.execPath, 'tools/hello.ts', 'a', 'b')
    expect(await hello.ended()).toBe(0)
    expect(hello.output()).toBe(`hello a,b ${process.version}\n`)
    expect(existsSync(join(root, 'npm-called'))).toBe(false)
  })

  test.each([
    ['a missing node_modules', () => rmSync(join(root, 'node_modules'), { recursive: true })],
    ['an interrupted installation', () => rmSync(join(root, 'node_modules/.package-lock.json'))],
    ['a changed lockfile', () => write('package-lock.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'))],
  ])('%s is followed by npm ci', async (_name, prepare) => {
    prepare()
    const hello = run(process.execPath, 'tools/hello.ts')
    expect(await hello.ended()).toBe(0)
    expect(readFileSync(join(root, 'npm-called'), 'utf8')).toMatch(/^ci /)
    expect(hello.output()).toContain('Installing packages')
  })

  test("a failed installation shows npm's message without a stack and exits with 78", async () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    write('npm-cli.js', "console.error('npm error code ENOTFOUND')\nprocess.exit(1)\n")
    const hello = run(process.execPath, 'tools/hello.ts')
    expect(await hello.ended()).toBe(78)
    expect(hello.output()).toContain('could not be installed. npm says:\nnpm error code ENOTFOUND\n')
    expect(hello.output()).not.toContain('    at ')
  })
})

/** A stand-in for npm with a child, like an install script, that works until it is ended or released. */
const SLOW_NPM = `
  const fs = require('fs')
  const child = require('child_process').spawn('sleep', ['600'], { stdio: 'ignore' })
  fs.appendFileSync(__dirname + '/npm-pids', process.pid + ' ' + child.pid + '\\n')
  setInterval(() => {
    if (!fs.existsSync(__dirname + '/go')) return
    child.kill()
    fs.writeFileSync(__dirname + '/node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(INSTALLED))})
    process.exit()
  }, 20)`

/** Process ids of every npm call, each with its child's. */
async function calledNpms(): Promise<number[][]> {
  const file = join(root, 'npm-pids')
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map(line => line.split(' ').map(Number))
}

describe('an installation that is under way', () => {
  beforeEach(() => {
    rmSync(join(root, 'node_modules/.package-lock.json'))
    write('npm-cli.js', SLOW_NPM)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '[M-01] %s ends npm and its children, and the next start installs again',
    async (signal, code) => {
      const hello = run(process.execPath, 'tools/hello.ts')
      const [pids = []] = await calledNpms()
      hello.child.kill(signal)
      expect(await hello.ended()).toBe(code)
      expect(pids.filter(isAlive)).toEqual([])
      expect(hello.output()).toMatch(/^Installing packages .*\nInterrupted\. The next start .*\n$/)

      write('go', '')
      const again = run(process.execPath, 'tools/hello.ts')
      expect(await again.ended()).toBe(0)
      expect(again.output()).toContain('Packages installed')
    },
  )

  test('[M-02] a second start names whom it waits for, and does not install as well', async () => {
    const first = run(process.execPath, 'tools/hello.ts')
    const [pids = []] = await calledNpms()
    const second = run(process.execPath, 'tools/hello.ts')
    await second.said(/^Another start \(process (\d+)\) is installing the packages; waiting for it …$/m)
    expect(second.output()).toContain(`(process ${first.child.pid})`)
    write('go', '')
    expect(await Promise.all([first.ended(), second.ended()])).toEqual([0, 0])
    expect(second.output()).toContain('hello')
    expect(await calledNpms()).toEqual([pids])
  })

  test('[M-02] a start waits for the npm that outlived its killed start', async () => {
    const first = run(process.execPath, 'tools/hello.ts')
    const [[npm] = []] = await calledNpms()
    first.child.kill('SIGKILL')
    await first.ended()
    const second = run(process.execPath, 'tools/hello.ts')
    await second.said(new RegExp(`Another start \\(process ${npm}\\) is installing`))
    write('go', '')
    expect(await second.ended()).toBe(0)
    expect(await calledNpms()).toHaveLength(1)
  })

  test('[M-02] no start waits for a killed one whose process id is used again', async () => {
    write(`build/lock/${process.pid}-1234.5678`, JSON.stringify({ doing: 'installing', number: 1 }))
    write('go', '')
    const hello = run(process.execPath, 'tools/hello.ts')
    expect(await hello.ended()).toBe(0)
    expect(hello.output()).not.toContain('Another start')
  })
})

describe.runIf(canMount())('a disk that is full (needs the right to mount)', () => {
  test('[M-04] is named with what is needed and free, though npm ended with 0', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    // npm continues after a file that it cannot unpack.
    write(
      'npm-cli.js',
      `try { require('fs').writeFileSync(__dirname + '/node_modules/a', Buffer.alloc(8e6)) }
       catch (error) { console.error('npm warn tar TAR_ENTRY_ERROR ' + error.message) }`,
    )
    symlinkSync(smallDisk('4m').folder, join(root, 'node_modules'))
    const hello = run(process.execPath, 'tools/hello.ts')
    expect(await hello.ended()).toBe(1)
    expect(hello.output().split('\n').slice(1)).toEqual([
      `The disk of ${root}/node_modules is full: the packages need about 1000 MB, and 0 MB are free. Free some space, then start again.`,
      '',
    ])
  })
})

test('[M-04] a disk quota that is used up is a disk that is full', async () => {
  rmSync(join(root, 'node_modules'), { recursive: true })
  // Stands in for a file system with quotas: the folder of the lock cannot be made.
  write(
    'quota.mjs',
    `import fs from 'node:fs'
     import { syncBuiltinESMExports } from 'node:module'
     const { mkdirSync } = fs
     fs.mkdirSync = (path, options) => {
       if (path.endsWith('/build/lock')) throw Object.assign(new Error('disk quota exceeded'), { code: 'EDQUOT' })
       return mkdirSync(path, options)
     }
     syncBuiltinESMExports()`,
  )
  vi.stubEnv('NODE_OPTIONS', `--import=${join(root, 'quota.mjs')}`)
  const hello = run(process.execPath, 'tools/hello.ts')
  expect(await hello.ended()).toBe(1)
  expect(hello.output()).toMatch(/^The disk of \S+ is full: the packages need about 1000 MB/)
})

describe('a start as it is (npm run serve)', () => {
  test('installs nothing, though packages for development are missing', async () => {
    write('package-lock.json', JSON.stringify(LOCK).replace('"optional":true', '"dev":true'))
    const hello = run(process.execPath, '--as-is', 'tools/hello.ts', 'web')
    expect(await hello.ended()).toBe(0)
    expect(hello.output()).toBe(`hello web ${process.version}\n`)
    expect(existsSync(join(root, 'npm-called'))).toBe(false)
  })

  test('says what to do where nothing is installed', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    const hello = run(process.execPath, '--as-is', 'tools/hello.ts')
    expect(await hello.ended()).toBe(78)
    expect(hello.output()).toBe('The packages are not installed. Run: npm ci && npm run build\n')
    expect(existsSync(join(root, 'npm-called'))).toBe(false)
  })
})

describe('npm that is killed alone', () => {
  // npm forwards no signal, and the shell between it and the script outlives it.
  test('[M-03] takes the script with it', async () => {
    write('tools/waits.ts', WAITING)
    write('package.json', JSON.stringify({ scripts: { start: `node tools/run.mjs tools/waits.ts` } }))
    const npm = watch('npm', ['start'], { cwd: root })
    started.push(npm)
    const [, pid] = await npm.said(/pid (\d+)/)
    npm.child.kill('SIGKILL')
    await until(() => !isAlive(Number(pid)))
    await npm.ended()
    expect(npm.output()).toContain('signal')
  })
})

describe.runIf(oldNode)('under a Node that cannot run the sources', () => {
  test.each([
    'node_modules/node/bin/node',
    `node_modules/node/node_modules/node-linux-${process.arch}/bin/node`,
    `node_modules/node-linux-${process.arch}/bin/node`,
  ])('it continues with the Node at %s', async path => {
    installNode(path)
    const hello = run(oldNode!, 'tools/hello.ts', 'a')
    expect(await hello.ended()).toBe(0)
    expect(hello.output()).toBe(`hello a ${process.version}\n`)
  })

  test('where install scripts did not run, it runs the one of the package node', async () => {
    const copy = `require('fs').mkdirSync('bin'); require('fs').symlinkSync('${process.execPath}', 'bin/node')`
    write('node_modules/node/installArchSpecificPackage.js', copy)
    const hello = run(oldNode!, 'tools/hello.ts')
    expect(await hello.ended()).toBe(0)
    expect(hello.output()).toContain(process.version)
  })

  test('without any it says what is missing and ends with 78', async () => {
    const hello = run(oldNode!, 'tools/hello.ts')
    expect(await hello.ended()).toBe(78)
    expect(hello.output()).toMatch(
      /^Probity runs on Node 24; this is v2\d.* Install Node 24, or try: npm rebuild node\n$/,
    )
  })

  test('the exit code is passed on', async () => {
    installNode()
    write('tools/fails.ts', 'process.exit(7)\n')
    expect(await run(oldNode!, 'tools/fails.ts').ended()).toBe(7)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s is passed on, and the script ends in its own way',
    async signal => {
      installNode()
      write('tools/waits.ts', WAITING)
      const waits = run(oldNode!, 'tools/waits.ts')
      await waits.said(/pid \d+/)
      waits.child.kill(signal)
      expect(await waits.ended()).toBe(3)
      expect(waits.output()).toContain('signal')
    },
  )

  test('killed with -9, it does not leave the script running', async () => {
    installNode()
    write('tools/waits.ts', WAITING)
    const waits = run(oldNode!, 'tools/waits.ts')
    const [, pid] = await waits.said(/pid (\d+)/)
    waits.child.kill('SIGKILL')
    await until(() => !isAlive(Number(pid)))
  })
})
