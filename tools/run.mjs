// node tools/run.mjs [--as-is] <script.ts> [arguments]: brings what a script needs (the lockfile's packages, Node 24) and runs
// it; as it is, with what is installed: in operation nothing is fetched at a start, and packages for development are left out.
// Works under any Node from 20 on and before anything is installed: built-in modules only, no TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import * as module from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OLDEST_NODE = 20
const WANTED_NODE = 24
const EXIT_CONFIG = 78

/** A reason not to go on that the reader can act on: printed as it is, without a stack trace. */
class Fault extends Error {}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const given = process.argv.slice(2)
const asIs = given[0] === '--as-is'
const [script = '', ...scriptArguments] = asIs ? given.slice(1) : given

async function main() {
  try {
    endWithNpm()
    if (major(process.versions.node) < OLDEST_NODE) {
      throw new Fault(
        `Probity needs Node ${OLDEST_NODE} or newer; this is ${process.version}. See https://nodejs.org`,
      )
    }
    if (asIs) requirePackages()
    else installPackages()
    const node = findNode()
    const path = join(root, script)
    process.env.PATH = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
    // What Node has compiled once is kept: a third of a second of every later start.
    process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node')
    if (node === process.execPath) {
      module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
      process.argv = [node, path, ...scriptArguments]
      await import(pathToFileURL(path).href)
    } else {
      runUnder(node, path)
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    console.error(error.message)
    process.exitCode = EXIT_CONFIG
  }
}

/** Installs the lockfile's packages if what is installed differs from it. */
function installPackages() {
  if (isInstalled()) return
  const started = Date.now()
  console.log('Installing packages (once, about a minute) …')
  const { command, args } = npm()
  const result = spawnSync(
    command,
    [...args, 'ci', '--loglevel=error', '--no-audit', '--no-fund', '--no-progress'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  if (result.status !== 0) {
    const said = `${result.stderr ?? ''}`.trim() || result.error?.message || `npm ended with ${result.status}`
    throw new Fault(
      `The packages could not be installed. npm says:\n${said.split('\n').slice(0, 8).join('\n')}`,
    )
  }
  console.log(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

function requirePackages() {
  if (existsSync(join(root, 'node_modules/.package-lock.json'))) return
  throw new Fault('The packages are not installed. Run: npm ci && npm run build')
}

/** Compares the lockfile with the record npm keeps of what it installed; an interrupted installation has none. */
function isInstalled() {
  try {
    const wanted = readPackages(join(root, 'package-lock.json'))
    const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
    return Object.entries(wanted).every(([path, entry]) => {
      const found = installed[path]
      if (path === '') return true
      // Packages for other platforms are left out.
      if (found === undefined) return entry.optional === true || entry.peer === true
      return found.version === entry.version && found.integrity === entry.integrity
    })
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages
}

/** A Node that runs TypeScript: this one if it is new enough, else the one of the npm package `node`. */
function findNode() {
  if (major(process.versions.node) >= WANTED_NODE) return process.execPath
  const found = packagedNode()
  if (found !== null) return found
  // npm may be set not to run install scripts; the package's own one fetches the platform's binary.
  const folder = join(root, 'node_modules/node')
  spawnSync(process.execPath, ['installArchSpecificPackage.js'], { cwd: folder, stdio: 'ignore' })
  const fetched = packagedNode()
  if (fetched !== null) return fetched
  throw new Fault(
    `Probity runs on Node ${WANTED_NODE}; this is ${process.version}, and the one from npm has no binary for ` +
      `${process.platform}-${process.arch}, or npm could not fetch it. Install Node ${WANTED_NODE}, or try: npm rebuild node`,
  )
}

function packagedNode() {
  const platformPackage = `node-${process.platform}-${process.arch}`
  const candidates = [
    join(root, 'node_modules/node/bin/node'),
    join(root, 'node_modules/node/node_modules', platformPackage, 'bin/node'),
    join(root, 'node_modules', platformPackage, 'bin/node'),
  ]
  return candidates.find(path => existsSync(path) && runs(path)) ?? null
}

function runs(path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 && major(stdout.trim().slice(1)) >= WANTED_NODE
}

/**
 * Runs the script in a process group of its own and passes every signal on to that group, so that one Ctrl-C reaches it once,
 * whether it came from the terminal, from npm, or from a service manager; then ends as it ended.
 */
function runUnder(node, path) {
  // Over the channel the script notices if this process is killed, and stops too.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const child = spawn(node, [path, ...scriptArguments], { stdio, detached: true })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signalGroup(child.pid, signal))
  child.on('error', error => {
    console.error(error.message)
    process.exitCode = EXIT_CONFIG
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
}

/** npm passes no signal on when it alone is ended (a supervisor, `kill`): what it started for us must not stay behind. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended.
  }
}

function npm() {
  const running = process.env.npm_execpath ?? ''
  if (/npm-cli\.c?js$/.test(running)) return { command: process.execPath, args: [running] }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] }
}

function major(version) {
  return Number(version.split('.')[0])
}

await main()
