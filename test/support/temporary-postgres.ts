import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
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
  /** The faster way to clone a database: in memory by its files, on a disk by its pages. */
  readonly cloning: 'FILE_COPY' | 'WAL_LOG'
}

/** Nobody needs these data after a crash of the machine; a crash of PostgreSQL itself still loses nothing. */
const NOT_DURABLE = ['fsync', 'full_page_writes', 'wal_compression']

/** A file system in memory: a clone of a database takes a fourth of the time there. */
const IN_MEMORY = '/dev/shm'
/** What a whole run of the tests leaves room for, in bytes, both there and in the machine's memory. */
const ROOM = 8 * 2 ** 30

/**
 * Starts one in memory if there is room, else under the machine's temporary folder, after removing leftovers of killed
 * processes.
 * @param kind distinguishes the folders: `probity-<kind>-<process id>-…`
 * @param options.durable commits wait for the disk, as in production: for measurements
 * @param options.under this folder instead
 */
export async function startTemporaryPostgres(
  kind: string,
  { durable = false, under }: { durable?: boolean; under?: string } = {},
): Promise<TemporaryPostgres> {
  await removeAbandoned(kind)
  const place = under ?? (durable ? tmpdir() : placeWithRoom())
  const folder = mkdtempSync(join(place, `probity-${kind}-${process.pid}-`))
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
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
      cloning: place === IN_MEMORY ? 'FILE_COPY' : 'WAL_LOG',
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

function placeWithRoom(): string {
  if (!existsSync(IN_MEMORY) || freemem() < ROOM) return tmpdir()
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize < ROOM ? tmpdir() : IN_MEMORY
}

async function removeAbandoned(kind: string): Promise<void> {
  for (const folder of [tmpdir(), IN_MEMORY].flatMap(place => leftIn(place, kind))) {
    try {
      await deleteEmbedded(join(folder, 'data'))
    } catch (error) {
      // Another run is removing it, or was killed meanwhile: no server uses what is left.
      if (existsSync(join(folder, 'data/postgres/data/postmaster.pid'))) throw error
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Folders in a place whose processes were killed. */
function leftIn(place: string, kind: string): string[] {
  if (!existsSync(place)) return []
  const left = readdirSync(place).filter(name => {
    const pid = name.match(`^probity-${kind}-(\\d+)-`)?.[1]
    return pid !== undefined && !isAlive(Number(pid))
  })
  return left.map(name => join(place, name))
}
