import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Area, areas, pageAt, shortcuts } from './pages.ts'
import { paths } from './paths.ts'

test('each page loads the file that the build knows', () => {
  const source = readFileSync(new URL('./pages.ts', import.meta.url), 'utf8')
  const named = [...source.matchAll(/'([\w/-]+\.tsx)',\s*\(\) =>\s*import\('\.\/([\w/-]+\.tsx)'\)/g)]
  const count = Object.values<Area>(areas).reduce((sum, { pages }) => sum + pages.length + 1, 0)
  expect(named).toHaveLength(count)
  for (const [, told, loaded] of named) expect(loaded).toBe(told)
})

test('every link into an area leads to one of its pages', () => {
  const links = [
    ...Object.values(paths.dashboard).flatMap(path => (typeof path === 'string' ? [path] : [])),
    ...Object.values(paths.admin).flatMap(path => (typeof path === 'string' ? [path] : [])),
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
