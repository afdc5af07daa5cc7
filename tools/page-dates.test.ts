import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { pageDates } from './page-dates.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'probity-dates-'))
  atEnd(() => rmSync(path, { recursive: true }))
  mkdirSync(join(path, 'web/site'), { recursive: true })
  return path
}

function write(root: string, name: string, text: string): void {
  writeFileSync(join(root, 'web/site', `${name}.tsx`), text)
}

const author = ['-c', 'user.name=Author', '-c', 'user.email=author@example.com']

function git(root: string, ...args: string[]): void {
  execFileSync('git', [...author, ...args], { cwd: root })
}

function commit(root: string, date: string): void {
  git(root, 'add', '.')
  const env = { ...process.env, GIT_COMMITTER_DATE: date }
  execFileSync('git', [...author, 'commit', '-qm', 'change'], { cwd: root, env })
}

/** Home shows the process; About stands alone. */
function site(): string {
  const root = folder()
  git(root, 'init', '-q')
  write(root, 'home', "import { Process } from './process.tsx'")
  write(root, 'process', 'steps')
  write(root, 'about', 'words')
  commit(root, '2026-01-01T00:00:00Z')
  return root
}

const day = (date: string | undefined) => date?.slice(0, 10)

test('a page changed when it, or what it shows, was last committed', () => {
  const root = site()
  write(root, 'process', 'other steps')
  commit(root, '2026-02-02T00:00:00Z')
  const { home, about, ...others } = pageDates(root)
  expect([day(home), day(about)]).toEqual(['2026-02-02', '2026-01-01'])
  expect(others).toEqual({})
})

test('uncommitted changes count from the time of saving', () => {
  const root = site()
  write(root, 'about', 'other words')
  utimesSync(join(root, 'web/site/about.tsx'), new Date(), new Date('2026-03-03T12:00:00Z'))
  expect(day(pageDates(root).about)).toBe('2026-03-03')
  expect(day(pageDates(root).home)).toBe('2026-01-01')
})

test('without the history nothing is said, rather than something wrong', () => {
  const root = site()
  write(root, 'about', 'other words')
  commit(root, '2026-02-02T00:00:00Z')
  const copy = folder()
  rmSync(copy, { recursive: true })
  git(root, 'clone', '-q', '--depth=1', `file://${root}`, copy)
  expect(pageDates(copy)).toEqual({})
  rmSync(join(root, '.git'), { recursive: true })
  expect(pageDates(root)).toEqual({})
})
