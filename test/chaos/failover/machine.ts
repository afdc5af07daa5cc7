import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServerUser, spawnAs } from '#server/embedded/server-user.ts'
import { isAlive } from '#test/support/processes.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** As deploy/patroni/probity.conf says, in milliseconds. */
const RESTART_MS = 1_000
/** From a reset until Patroni is started again, in milliseconds. */
const BOOT_MS = 5_000
/** What PostgreSQL logs once it accepts writes, after a start or a promotion; its times are UTC. */
const ACCEPTS_WRITES = /^(\S+ \S+) UTC .*database system is ready to accept connections$/gm

export type MachineOptions = {
  name: string
  folder: string
  program: string
  user: ServerUser | null
  hasWatchdog: boolean
}

/**
 * One machine with Patroni as a service and what that starts. All of its processes work in its folder, by which they are
 * found. systemd's part, to start Patroni again, is played here.
 */
export class Machine {
  readonly name: string
  readonly #folder: string
  readonly #program: string
  readonly #user: ServerUser | null
  readonly #watchdog: Watchdog | undefined
  #patroni: ChildProcess | undefined
  #isOn = false
  /** How often its watchdog has reset it. */
  resets = 0

  constructor({ name, folder, program, user, hasWatchdog }: MachineOptions) {
    this.name = name
    this.#folder = folder
    this.#program = program
    this.#user = user
    if (hasWatchdog) this.#watchdog = startWatchdog(join(folder, 'watchdog'), user, () => void this.#reset())
  }

  get configuration(): string {
    return join(this.#folder, 'patroni.yml')
  }

  /** Turns it on: Patroni runs, and is started again whenever it ends. */
  start(): void {
    this.#isOn = true
    const log = openSync(this.#log, 'a')
    // PostgreSQL keeps the file open when Patroni has ended, which it would do with a pipe, too: no end would be seen.
    const patroni = spawn(this.#program, [this.configuration], {
      ...spawnAs(this.#user),
      cwd: this.#folder,
      // Patroni keeps passwords of its own in the user's home, which the machines must not share.
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: this.#folder },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#patroni = patroni
    patroni.once('exit', () => {
      if (this.#patroni === patroni) this.#patroni = undefined
      setTimeout(() => {
        if (this.#isOn && this.#patroni === undefined) this.start()
      }, RESTART_MS)
    })
  }

  /** kill -9; the service manager starts it again. */
  killPatroni(): void {
    this.#patroni?.kill('SIGKILL')
  }

  /** kill -9, and nothing starts it again until `start`. PostgreSQL runs on. */
  loseService(): void {
    this.#isOn = false
    this.killPatroni()
  }

  killPostgres(): void {
    const [pid] = readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
  }

  /** Stops every process where it is, as a hypervisor does that pauses a machine. */
  freeze(): void {
    for (const isNew = new Set<number>(); ; ) {
      const running = this.#pids().filter(pid => !isNew.has(pid))
      if (running.length === 0) return
      for (const pid of running) signal(pid, 'SIGSTOP')
      for (const pid of running) isNew.add(pid)
    }
  }

  wake(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT')
  }

  /** Ends every process at once and stays off, like a machine without power. */
  async turnOff(): Promise<void> {
    this.#isOn = false
    for (let pids = this.#pids(); pids.length > 0; pids = this.#pids()) {
      for (const pid of pids) signal(pid, 'SIGKILL')
      await delay(5)
    }
    this.#watchdog?.turnOff()
  }

  /** When its PostgreSQL began to accept writes, in epoch milliseconds. */
  promotions(): number[] {
    const lines = [...readFileSync(this.#log, 'utf8').matchAll(ACCEPTS_WRITES)]
    return lines.map(([, at]) => Date.parse(`${at!.replace(' ', 'T')}Z`))
  }

  /** The end of its log. */
  lastWords(): string {
    return `${this.name}:\n${readFileSync(this.#log, 'utf8').split('\n').slice(-30).join('\n')}`
  }

  async #reset(): Promise<void> {
    this.resets++
    await this.turnOff()
    await delay(BOOT_MS)
    this.start()
  }

  get #log(): string {
    return join(this.#folder, 'log')
  }

  #pids(): number[] {
    const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
    return all.map(Number).filter(pid => isAlive(pid) && folderOf(pid).startsWith(`${this.#folder}/`))
  }
}

/** Where a process works, with a slash at its end; empty once it has ended. */
function folderOf(pid: number): string {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`
  } catch {
    return ''
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has just ended.
  }
}
