import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The newest checkpoint that this machine has published, kept outside the database: a database that was restored to an
 * earlier time would sign another history from there.
 */
export const markOf = (dataDir: string) => join(dataDir, 'published-checkpoint')

/** @param vkey of the log's first key */
export type PublishedMark = { vkey: string; checkpoint: string }

/** Undefined if this machine has published nothing. */
export async function publishedMark(dataDir: string): Promise<PublishedMark | undefined> {
  const text = await readFile(markOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (text === '') return undefined
  const [vkey, ...checkpoint] = text.split('\n')
  return { vkey: vkey!, checkpoint: checkpoint.join('\n') }
}
