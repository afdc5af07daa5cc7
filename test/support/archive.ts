import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { atEnd } from './clean-up.ts'

const run = promisify(execFile)

/**
 * Opens a ZIP with Python's zipfile, which also compares every checksum.
 * @returns the contents of its files, by name
 * @throws Error if it is not whole
 */
export async function unzipped(zip: Uint8Array): Promise<Map<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-zip-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const [archive, into] = [join(folder, 'archive.zip'), join(folder, 'content')]
  writeFileSync(archive, zip)
  const { stdout } = await run('python3', ['-m', 'zipfile', '-t', archive])
  if (/Bad|corrupt/i.test(stdout)) throw new Error(stdout)
  await run('python3', ['-m', 'zipfile', '-e', archive, into])
  const names = readdirSync(into, { recursive: true }) as string[]
  const files = names.map(name => join(into, name)).filter(path => statSync(path).isFile())
  return new Map(files.map(path => [relative(into, path), readFileSync(path)]))
}
