// node tools/run.mjs [--as-is] <script.ts> [arguments]: brings what a script needs (the lockfile's packages, Node 24) and runs
// it; as it is, with what is installed: in operation nothing is fetched at a start, and packages for development are left out.
// Works under any Node from 20 on and before anything is installed: built-in modules only, no TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import * as module from 'node:module'
import { constants, homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { statOf, takeLock } from './lock.mjs'

const OLDEST_NODE = 20
const WANTED_NODE = 24
const EXIT_CONFIG = 78
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** How long what is ended gets before it is killed. */
const END_LIMIT_MS = 5_000
/** Most processes from this one to npm: between them are npm's shell, and maybe a wrapper's. */
const NPM_DISTANCE = 4
/** What node_modules takes with the packages for development. */
const PACKAGES_MB = 1000

/** A reason not to go on that the reader can act on: printed as it is, without a stack trace. */
class UserError extends Error {
  constructor(message, exitCode = EXIT_CONFIG) {
    super(message)
    this.exitCode = exitCode
  }
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installedRecord = join(root, 'node_modules/.package-lock.json')
const given = process.argv.slice(2)
const asIs = given[0] === '--as-is'
const [script = '', ...scriptArguments] = asIs ? given.slice(1) : given

async function main() {
  try {
    endWithNpm()
    if (major(process.versions.node) < OLDEST_NODE) {
      throw new UserError(
        `Probity needs Node ${OLDEST_NODE} or newer; this is ${process.version}. See https://nodejs.org`,
      )
    }
    if (asIs) requireInstallation()
    else await installPackages()
    const node = await findNode()
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
    if (!(error instanceof UserError)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}

/** Installs the lockfile's packages if what is installed differs from it. */
async function installPackages() {
  if (isInstalled()) return
  await alone(async lock => {
    // Another start may have installed them while we waited.
    if (isInstalled()) return
    const started = Date.now()
    console.log('Installing packages (once, about a minute) …')
    // Without the record an installation counts as interrupted, at whatever point it is.
    rmSync(installedRecord, { force: true })
    const { command, args } = npm()
    const install = [...args, 'ci', '--loglevel=warn', '--no-audit', '--no-fund', '--no-progress']
    const { code, said } = await runInterruptibly(lock, command, install, root)
    // Of a file that it cannot unpack on a full disk npm only warns.
    if (/\b(ENOSPC|EDQUOT)\b/.test(said)) {
      rmSync(installedRecord, { force: true })
      throw fullDisk()
    }
    if (code !== 0) {
      const lines = said.split('\n').filter(line => line !== '' && !line.startsWith('npm warn'))
      const reason = lines.slice(0, 8).join('\n') || `npm ended with ${code}`
      throw new UserError(`The packages could not be installed. npm says:\n${reason}`)
    }
    console.log(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
  })
}

/** Does what only one process at a time may do to node_modules; the build of the pages takes the same lock. */
async function alone(work) {
  try {
    const lock = await takeLock(join(root, 'build/lock'), { doing: 'installing the packages' }, holder =>
      console.log(`Another start (process ${holder.pid}) is ${holder.doing}; waiting for it …`),
    )
    await work(lock)
    lock.release()
  } catch (error) {
    // A lock that fails is released by the end of this process.
    throw ['ENOSPC', 'EDQUOT'].includes(error.code) ? fullDisk() : error
  }
}

/**
 * Runs a program in a process group of its own to its end. A signal ends the whole group first.
 * @throws UserError with the exit code of the signal
 */
async function runInterruptibly(lock, command, args, cwd) {
  let interruptedBy = null
  const interrupt = signal => {
    interruptedBy ??= signal
    signalGroup(child.pid, 'SIGTERM')
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), END_LIMIT_MS).unref()
  }
  // Before the child runs: a signal at its very beginning must end it, too.
  for (const signal of SIGNALS) process.on(signal, interrupt)
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  try {
    if (child.pid !== undefined) lock.heldWith(child.pid)
    const [code] = await once(child, 'close')
    if (interruptedBy !== null) {
      throw new UserError(
        'Interrupted. The next start installs the packages again.',
        exitCodeOf(interruptedBy),
      )
    }
    return { code, said }
  } catch (error) {
    if (error instanceof UserError) throw error
    return { code: 1, said: error.message }
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

/** npm fills its cache, too, and removes what it has unpacked when it fails. */
function fullDisk() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm')
  const folders = [join(root, 'node_modules'), root, cache].filter(existsSync)
  const [{ folder, free }] = folders
    .map(folder => ({ folder, free: freeMegabytes(folder) }))
    .sort((a, b) => a.free - b.free)
  return new UserError(
    `The disk of ${folder} is full: the packages need about ${PACKAGES_MB} MB, and ${free} MB are free. Free some space, then start again.`,
    1,
  )
}

function freeMegabytes(folder) {
  const { bavail, bsize } = statfsSync(folder)
  return Math.floor((bavail * bsize) / 2 ** 20)
}

function requireInstallation() {
  if (!existsSync(installedRecord)) {
    throw new UserError('The packages are not installed. Run: npm ci && npm run build')
  }
  if (!existsSync(join(root, script))) throw new UserError('The server is not built. Run: npm run build')
}

/** Compares the lockfile with the record npm keeps of what it installed; an interrupted installation has none. */
function isInstalled() {
  try {
    const wanted = readPackages(join(root, 'package-lock.json'))
    const installed = readPackages(installedRecord)
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
async function findNode() {
  if (major(process.versions.node) >= WANTED_NODE) return process.execPath
  const found = packagedNode()
  if (found !== null) return found
  // npm may be set not to run install scripts; the package's own one fetches the platform's binary.
  const folder = join(root, 'node_modules/node')
  await alone(lock => runInterruptibly(lock, process.execPath, ['installArchSpecificPackage.js'], folder))
  const fetched = packagedNode()
  if (fetched !== null) return fetched
  throw new UserError(
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
  for (const signal of SIGNALS) process.on(signal, () => signalGroup(child.pid, signal))
  child.on('error', error => {
    console.error(error.message)
    process.exitCode = EXIT_CONFIG
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? exitCodeOf(signal)
  })
}

/** npm passes no signal on when it alone is ended (a supervisor, `kill`): what it started for us must not stay behind. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const line = lineToNpm()
  const watch = setInterval(() => {
    if (line.every((pid, place) => place === 0 || parentOf(line[place - 1]) === pid)) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

/** Ourselves, then each parent up to npm: the shell that npm runs us in does not end with npm. */
function lineToNpm() {
  const line = [process.pid]
  while (line.length < NPM_DISTANCE) {
    line.push(parentOf(line.at(-1)))
    if (isNpm(line.at(-1))) return line
  }
  return line.slice(0, 2)
}

function parentOf(pid) {
  if (pid === process.pid) return process.ppid
  return Number(statOf(pid)?.[1] ?? 0)
}

function isNpm(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.env.npm_node_execpath ?? '')
  } catch {
    return false
  }
}

function exitCodeOf(signal) {
  return 128 + constants.signals[signal]
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
