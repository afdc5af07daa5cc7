import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SITE = 'web/site'
const PAGES = ['home', 'about', 'investment-plans', 'services', 'contact', 'proof', 'faq', 'policy']

/**
 * When each public page last changed, by its name in web/site: the last commit of its file or of one that it imports
 * from that folder, or the time of saving for uncommitted changes. Pages are left out without a repository or its
 * history.
 */
export function pageDates(root: string): Record<string, string> {
  if (git(root, 'rev-parse', '--is-shallow-repository') !== 'false') return {}
  const dates = PAGES.map(page => [page, lastChange(root, filesOf(root, `${page}.tsx`))])
  return Object.fromEntries(dates.filter(([, date]) => date !== undefined))
}

/** A file of the folder with its imports from there. */
function filesOf(root: string, name: string, found = new Set<string>()): string[] {
  if (found.has(name) || !existsSync(join(root, SITE, name))) return []
  found.add(name)
  const source = readFileSync(join(root, SITE, name), 'utf8')
  for (const [, imported] of source.matchAll(/ from '\.\/(.+?)'/g)) filesOf(root, imported!, found)
  return [...found].map(file => `${SITE}/${file}`)
}

function lastChange(root: string, files: string[]): string | undefined {
  const changed = git(root, 'status', '--porcelain', '--', ...files)
  if (changed === undefined || files.length === 0) return undefined
  if (changed === '') return git(root, 'log', '-1', '--format=%cI', '--', ...files) || undefined
  const saved = files.map(file => statSync(join(root, file)).mtimeMs)
  return new Date(Math.max(...saved)).toISOString()
}

/** Git's output; undefined if there is no git, or it fails. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
