import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive, until, type Watched, watch } from '#test/support/processes.ts'

/** A Node of the machine that is older than the one the scripts run on, as a user's is; npm test runs under it. */
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

/** A script that tells its process id and what made it stop. */
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
  cpSync(join(import.meta.dirname, 'run.mjs'), join(root, 'tools/run.mjs'))
  write('package-lock.json', JSON.stringify(LOCK))
  write('node_modules/.package-lock.json', JSON.stringify(INSTALLED))
  write(
    'tools/hello.ts',
    "const word: string = 'hello'\nconsole.log(word, process.argv.slice(2).join(), process.version)\n",
  )
  // A stand-in for npm that leaves a note of how it was called.
  write(
    'npm-cli.js',
    "require('fs').writeFileSync(__dirname + '/npm-called', process.argv.slice(2).join(' '))\n",
  )
})
afterEach(async () => {
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
  test('what the lockfile names is installed: npm is not called, packages for other platforms may be missing', async () => {
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

  test('a failed installation shows what npm said, without a stack trace, and ends with 78', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    write('npm-cli.js', "console.error('npm error code ENOTFOUND')\nprocess.exit(1)\n")
    const hello = run(process.execPath, 'tools/hello.ts')
    expect(await hello.ended()).toBe(78)
    expect(hello.output()).toContain('could not be installed. npm says:\nnpm error code ENOTFOUND\n')
    expect(hello.output()).not.toContain('    at ')
  })
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

describe('npm that is ended alone', () => {
  test('takes the script with it, though it passes no signal on', async () => {
    write('tools/waits.ts', WAITING)
    const command = `${process.execPath} tools/run.mjs tools/waits.ts; true`
    const npm = watch('sh', ['-c', command], {
      cwd: root,
      env: { ...process.env, npm_lifecycle_event: 'start' },
    })
    started.push(npm)
    const [, pid] = await npm.said(/pid (\d+)/)
    npm.child.kill('SIGKILL')
    await until(() => !isAlive(Number(pid)))
    expect(npm.output()).toContain('signal')
  })
})

describe.runIf(oldNode)('under a Node that cannot run the sources', () => {
  test.each([
    'node_modules/node/bin/node',
    `node_modules/node/node_modules/node-linux-${process.arch}/bin/node`,
    `node_modules/node-linux-${process.arch}/bin/node`,
  ])('it goes on with the Node at %s', async path => {
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
