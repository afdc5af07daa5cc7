import { setTimeout as delay } from 'node:timers/promises'
import { until } from '#test/support/processes.ts'
import type { Disturbance } from '../run.ts'
import type { Cluster, ClusterOptions } from './cluster.ts'
import type { Machine } from './machine.ts'

/** How long a machine is without power, and a member of etcd away, in milliseconds. */
const OFF_MS = 10_000
const ETCD_AWAY_MS = 3_000
/** How long all of etcd is away, and a standby is frozen: longer than the leader's lock would hold. */
const LONG_MS = 25_000
/** How long a primary is frozen that wakes up with its lock. */
const SHORT_MS = 8_000
/** What a frozen primary, or one without Patroni, outlasts an election if no watchdog resets it, in milliseconds. */
const PAST_ELECTION_MS = 10_000

type Acts = Record<string, () => Promise<void> | void>

/**
 * What is done to the database machines, by name. Each ends when all machines are back in their places.
 * @param options.isFenced false: only what a watchdog would end
 */
export function failoversOf(cluster: Cluster, { isFenced }: ClusterOptions): Record<string, Disturbance> {
  const acts = isFenced ? { ...ofPrimary(cluster, true), ...ofOthers(cluster) } : ofPrimary(cluster, false)
  const thenWhole = (act: Acts[string]) => async () => {
    await act()
    await cluster.whole()
  }
  return Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, thenWhole(act)]))
}

/** The primary's Patroni stops renewing its lock, and PostgreSQL does not end with it. */
function ofPrimary(cluster: Cluster, isFenced: boolean): Acts {
  const afterElection = async (primary: Machine, resetsBefore: number) => {
    if (isFenced) await until(() => primary.resets > resetsBefore)
    else await delay(cluster.electionSeconds * 1000 + PAST_ELECTION_MS)
  }
  return {
    'Patroni of the primary is killed and stays away': async () => {
      const primary = await cluster.leader()
      const { resets } = primary
      primary.loseService()
      await afterElection(primary, resets)
      if (!isFenced) primary.start()
    },
    'the primary is frozen until another one is elected': async () => {
      const primary = await cluster.leader()
      const { resets } = primary
      primary.freeze()
      await afterElection(primary, resets)
      if (!isFenced) primary.wake()
    },
  }
}

function ofOthers(cluster: Cluster): Acts {
  const { etcd } = cluster
  return {
    'PostgreSQL of the primary is killed': async () => (await cluster.leader()).killPostgres(),
    'Patroni of the primary is killed': async () => (await cluster.leader()).killPatroni(),
    'the primary is frozen for 8 s': async () => frozen(await cluster.leader(), SHORT_MS),
    'the machine of the primary loses power for 10 s': async () => withoutPower(await cluster.leader()),
    'the machine of a standby loses power for 10 s': async () =>
      withoutPower(await cluster.synchronousStandby()),
    'a standby is frozen for 25 s': async () => frozen(await cluster.synchronousStandby(), LONG_MS),
    'an operator switches over': () => cluster.switchOver(),
    'the leader of etcd is killed': async () => {
      const leader = etcd.leader()
      await etcd.kill(leader)
      await delay(ETCD_AWAY_MS)
      etcd.start(leader)
    },
    'all of etcd is away for 25 s': async () => {
      await etcd.killAll()
      await delay(LONG_MS)
      etcd.startAll()
    },
  }
}

async function frozen(machine: Machine, ms: number): Promise<void> {
  machine.freeze()
  await delay(ms)
  machine.wake()
}

async function withoutPower(machine: Machine): Promise<void> {
  await machine.turnOff()
  await delay(OFF_MS)
  machine.start()
}
