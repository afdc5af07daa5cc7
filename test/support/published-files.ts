import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { publishTo } from '#server/proof/folder.ts'

/** All that the public proof has, by path. */
export async function publishedFiles(pool: Pool): Promise<Map<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-published-'))
  try {
    await publishTo(pool, folder)
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return new Map(
      entries
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map(path => [path.slice(folder.length + 1), readFileSync(path)]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
