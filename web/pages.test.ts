import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { pageSources } from '#tools/page-sources.ts'
import { consolePaths } from './console-paths.ts'
import { areas, openConsole, pageAt, shortcuts } from './pages.ts'
import { paths } from './paths.ts'

beforeAll(openConsole)

test('the build finds the module of each page', () => {
  const sources = pageSources(join(import.meta.dirname, '..'))
  const listed = Object.values(areas).flatMap(({ pages }) => pages.map(({ path }) => path))
  expect(Object.keys(sources).toSorted()).toEqual(listed.toSorted())
  for (const source of Object.values(sources))
    expect(existsSync(join(import.meta.dirname, source)), source).toBe(true)
})

test('every link into an area leads to one of its pages', () => {
  const links = [
    ...Object.values(paths.dashboard).flatMap(path => (typeof path === 'string' ? [path] : [])),
    ...[paths.admin, consolePaths]
      .flatMap(Object.values)
      .flatMap(path => (typeof path === 'string' ? [path] : [])),
    ...Object.values(shortcuts),
    paths.login,
    paths.register,
    paths.forgotPassword,
    paths.verify('ada@example.com'),
  ]
  for (const link of links) expect(pageAt(link), link).toBeDefined()
  expect(pageAt(paths.home)).toBeUndefined()
  expect(pageAt('/dashboard/nothing')).toBeUndefined()
})
