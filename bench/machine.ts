import { cpus, loadavg, release, totalmem } from 'node:os'
import pg from 'pg'

/** The machine of the measurement. */
export type Machine = {
  cpu: string
  cores: number
  memoryGB: number
  kernel: string
  node: string
  postgres: string
  /** Both must be on for a commit to be on disk when it is acknowledged. */
  fsync: string
  synchronousCommit: string
  /** The load before, in runnable processes. */
  loadBefore: number
}

export async function describeMachine(superuserUrl: string, loadBefore: number): Promise<Machine> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  const setting = async (name: string) => (await client.query(`SHOW ${name}`)).rows[0][name] as string
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgres: await setting('server_version'),
    fsync: await setting('fsync'),
    synchronousCommit: await setting('synchronous_commit'),
    loadBefore,
  }
  await client.end()
  return machine
}

/** Runnable processes, averaged over the last minute. */
export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGB, kernel, node, postgres, fsync, synchronousCommit, loadBefore } = machine
  return (
    `${cores} × ${cpu}, ${memoryGB} GB, Linux ${kernel}, Node ${node}, PostgreSQL ${postgres} ` +
    `(fsync ${fsync}, synchronous_commit ${synchronousCommit}), load before ${loadBefore}`
  )
}
