import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import {
  deleteEmbedded,
  type EmbeddedPostgres,
  embeddedUrl,
  startEmbedded,
} from '#server/embedded/embedded.ts'
import { isAlive } from './processes.ts'

/** An embedded PostgreSQL that is deleted with its temporary folder when it stops. */
export type TemporaryPostgres = EmbeddedPostgres & {
  readonly temporaryFolder: string
  readonly ownerUrl: string
  readonly superuserUrl: string
}

/** Nobody needs these data after a crash of the machine; a crash of PostgreSQL itself still loses nothing. */
const NOT_DURABLE = ['fsync', 'full_page_writes', 'wal_compression']

/**
 * Starts one under the machine's temporary folder, after removing leftovers of killed processes.
 * @param kind distinguishes the folders: `probity-<kind>-<process id>-…`
 * @param options.durable commits wait for the disk, as in production: for measurements
 * @param options.under another folder than the machine's temporary one
 * @param options.copyOf a folder whose files it begins with, among them those of an embedded PostgreSQL that has stopped
 */
export async function startTemporaryPostgres(
  kind: string,
  { durable = false, under = tmpdir(), copyOf }: { durable?: boolean; under?: string; copyOf?: string } = {},
): Promise<TemporaryPostgres> {
  await removeAbandoned(kind)
  const folder = mkdtempSync(join(under, `probity-${kind}-${process.pid}-`))
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    if (copyOf !== undefined) copyFiles(copyOf, folder)
    const postgres = await startEmbedded(join(folder, 'data'))
    const ownerUrl = embeddedUrl(join(folder, 'data'), 'owner')
    const superuserUrl = embeddedUrl(join(folder, 'data'), 'superuser')
    if (!durable) {
      const settings = NOT_DURABLE.map(name => `ALTER SYSTEM SET ${name} = off`)
      await administer(superuserUrl, ...settings, 'SELECT pg_reload_conf()')
    }
    return {
      ...postgres,
      ownerUrl,
      superuserUrl,
      temporaryFolder: folder,
      stop: async () => {
        await postgres.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** The files keep their owner, as whom PostgreSQL runs. Two servers must not share a cluster that only a link leads to. */
function copyFiles(from: string, to: string): void {
  if (lstatSync(join(from, 'data/postgres')).isSymbolicLink()) return
  execFileSync('cp', ['-a', `${from}/.`, to])
}

/** Runs statements one by one, as the superuser; some of them may run in no transaction. */
export async function administer(superuserUrl: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function removeAbandoned(kind: string): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.match(`^probity-${kind}-(\\d+)-`)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    const folder = join(tmpdir(), name)
    try {
      await deleteEmbedded(join(folder, 'data'))
    } catch (error) {
      // Another run is removing it, or was killed meanwhile: no server uses what is left.
      if (existsSync(join(folder, 'data/postgres/data/postmaster.pid'))) throw error
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
