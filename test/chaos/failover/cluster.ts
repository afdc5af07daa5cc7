import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { withHosts } from '#server/platform/database/hosts.ts'
import { selfSignedCertificate } from '#test/support/certificate.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { until } from '#test/support/processes.ts'
import { administer } from '#test/support/temporary-postgres.ts'
import { type PatroniPrograms, providePatroni } from '#tools/patroni.ts'
import type { Logins } from '../product.ts'
import { Etcd } from './etcd.ts'
import { Machine } from './machine.ts'
import { newPassword, type Place, patroniSettings, placesIn, writeFor } from './place.ts'

/** From a disturbance until all machines are back in their places, in milliseconds. */
const WHOLE_MS = 120_000
/** How long a Patroni may take to answer, in milliseconds. */
const ANSWER_MS = 1_000

export type ClusterOptions = {
  /** False: no watchdog resets a machine whose Patroni has stopped. */
  isFenced: boolean
}

type Member = { name: string; role: string; state: string; timeline?: number }

/** Starts three machines with deploy/patroni's files on loopback; they end with the test file. */
export async function startCluster({ isFenced }: ClusterOptions): Promise<Cluster> {
  const programs = await providePatroni()
  const user = serverUserFor(null)
  const folder = mkdtempSync(join(tmpdir(), 'probity-patroni-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  const { key, certificate } = selfSignedCertificate()
  // For the product.
  writeFileSync(join(folder, 'ca.crt'), certificate)
  const places = await placesIn(folder, user)
  for (const place of places) {
    const files = { 'node.crt': certificate, 'ca.crt': certificate, 'node.key': key }
    for (const [name, content] of Object.entries(files)) writeFor(user, join(place.folder, name), content)
  }
  const etcd = new Etcd(programs.etcd, user, places)
  const machines = places.map(place => {
    const machine = new Machine({ ...place, program: programs.patroni, user, hasWatchdog: isFenced })
    const settings = patroniSettings(place, programs.postgresFolder, isFenced)
    writeFor(user, machine.configuration, JSON.stringify(settings))
    return machine
  })
  atEnd(() => Promise.all(machines.map(machine => machine.turnOff())))
  const { ttl, loop_wait: loopWait } = patroniSettings(places[0]!, programs.postgresFolder, isFenced)
    .bootstrap.dcs
  const cluster = new Cluster({
    programs,
    places,
    machines,
    etcd,
    folder,
    certificate,
    electionSeconds: ttl + loopWait,
  })
  for (const machine of machines) machine.start()
  await cluster.whole()
  await cluster.makeDatabase()
  return cluster
}

type Parts = {
  programs: PatroniPrograms
  places: readonly Place[]
  machines: readonly Machine[]
  etcd: Etcd
  folder: string
  certificate: string
  electionSeconds: number
}

export class Cluster implements Logins {
  readonly machines: readonly Machine[]
  readonly etcd: Etcd
  readonly folder: string
  readonly appUrl: string
  readonly ownerUrl: string
  /** How long an election may take, by the settings. */
  readonly electionSeconds: number
  readonly #programs: PatroniPrograms
  readonly #places: readonly Place[]
  readonly #certificate: string
  readonly #logins = { probity_owner: newPassword(), probity_web: newPassword() }

  constructor({ programs, places, machines, etcd, folder, certificate, electionSeconds }: Parts) {
    this.machines = machines
    this.etcd = etcd
    this.folder = folder
    this.electionSeconds = electionSeconds
    this.#programs = programs
    this.#places = places
    this.#certificate = certificate
    this.appUrl = this.#urlOf('probity_web', this.#logins.probity_web, 'probity')
    this.ownerUrl = this.#urlOf('probity_owner', this.#logins.probity_owner, 'probity')
  }

  /** Makes roles and database as docs/operate.md says. */
  async makeDatabase(): Promise<void> {
    await administer(
      await this.#leadersUrl(),
      'CREATE ROLE probity_app NOLOGIN',
      ...Object.entries(this.#logins).map(
        ([login, password]) => `CREATE ROLE ${login} LOGIN PASSWORD '${password}' IN ROLE probity_app`,
      ),
      'CREATE DATABASE probity OWNER probity_owner',
    )
  }

  /** Waits until all machines serve, and both standbys are synchronous. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const seen = await Promise.all(this.machines.map((_, index) => this.#members(index)))
      return seen.every(isHealthy) && (await this.#isReplicated())
    }
    await until(() => isWhole().catch(() => false), WHOLE_MS).catch(error => {
      throw new Error([error.message, ...this.machines.map(machine => machine.lastWords())].join('\n'))
    })
  }

  leader(): Promise<Machine> {
    return this.#machineThatIs('leader')
  }

  synchronousStandby(): Promise<Machine> {
    return this.#machineThatIs('sync_standby')
  }

  /** As an operator does it. */
  async switchOver(): Promise<void> {
    const args = ['-c', this.machines[0]!.configuration, 'switchover', 'probity', '--force']
    const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }
    await promisify(execFile)(this.#programs.patronictl, args, { ...spawnAs(serverUserFor(null)), env })
  }

  /** As the superuser, to the leader alone. */
  async #leadersUrl(): Promise<string> {
    const { ports, passwords } = this.#places[0]!
    const leader = this.machines.indexOf(await this.leader())
    return withHosts(this.#urlOf('postgres', passwords.postgres, 'postgres'), [
      `localhost:${ports[leader]!.postgres}`,
    ])
  }

  #urlOf(login: string, password: string, database: string): string {
    const hosts = this.#places[0]!.ports.map(({ postgres }) => `localhost:${postgres}`)
    const how = `target_session_attrs=read-write&sslmode=verify-full&sslrootcert=${join(this.folder, 'ca.crt')}`
    return `postgres://${login}:${password}@${hosts.join(',')}/${database}?${how}`
  }

  /** Patroni knows of a change only seconds later. */
  async #isReplicated(): Promise<boolean> {
    const connectionString = await this.#leadersUrl()
    const client = new Client({
      connectionString,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    try {
      await client.connect()
      const { rows } = await client.query(
        "SELECT count(*)::int AS standbys FROM pg_stat_replication WHERE state = 'streaming'",
      )
      return rows[0].standbys === this.machines.length - 1
    } finally {
      await client.end()
    }
  }

  async #machineThatIs(role: string): Promise<Machine> {
    const members = await Promise.any(this.machines.map((_, index) => this.#members(index)))
    const found = members.find(member => member.role === role)
    if (found === undefined) throw new Error(`no machine is ${role}`)
    return this.machines.find(({ name }) => name === found.name)!
  }

  /** The members as one machine's Patroni sees them. */
  async #members(machine: number): Promise<Member[]> {
    const url = `https://localhost:${this.#places[0]!.ports[machine]!.rest}/cluster`
    const { members } = await getJson<{ members: Member[] }>(url, this.#certificate)
    return members
  }
}

function isHealthy(members: readonly Member[]): boolean {
  const roles = members.map(({ role }) => role).toSorted()
  return (
    roles.join() === 'leader,sync_standby,sync_standby' &&
    members.every(({ state }) => ['running', 'streaming'].includes(state)) &&
    new Set(members.map(({ timeline }) => timeline)).size === 1
  )
}

function getJson<Content>(url: string, ca: string): Promise<Content> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ca, timeout: ANSWER_MS, agent: false }, answer => {
      json(answer).then(content => resolve(content as Content), reject)
    })
    request.on('timeout', () => request.destroy(new Error(`${url} does not answer`)))
    request.on('error', reject)
  })
}
