import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteEmbedded, type EmbeddedPostgres, startEmbedded } from '#server/embedded/embedded.ts'
import { isAlive } from './processes.ts'

/** An embedded PostgreSQL that is deleted with its folder when it stops. */
export type TemporaryPostgres = EmbeddedPostgres & { readonly folder: string }

/**
 * Starts one under the machine's temporary folder, after removing leftovers of killed processes.
 * @param kind distinguishes the folders: `probity-<kind>-<process id>-…`
 */
export async function startTemporaryPostgres(kind: string): Promise<TemporaryPostgres> {
  await removeAbandoned(kind)
  const folder = mkdtempSync(join(tmpdir(), `probity-${kind}-${process.pid}-`))
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const postgres = await startEmbedded(join(folder, 'data'))
    return {
      ...postgres,
      folder,
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

async function removeAbandoned(kind: string): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.match(`^probity-${kind}-(\\d+)-`)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    const folder = join(tmpdir(), name)
    try {
      await deleteEmbedded(join(folder, 'data'))
    } catch (fault) {
      // Another run is removing it, or was killed meanwhile: no server uses what is left.
      if (existsSync(join(folder, 'data/postgres/data/postmaster.pid'))) throw fault
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
