import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as limits from '#shared/limits.ts'

/** docs/asvs.md, docs/controls.md and SECURITY.md against the standard's ids and the code. */

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/**
 * Levels 1 and 2 of OWASP ASVS 5.0.0, and level 3 of V2, V6, V8 and V11, from
 * 5.0/docs_en/OWASP_Application_Security_Verification_Standard_5.0.0_en.csv of its repository (tag v5.0.0_release).
 */
const levels: Record<string, string> = {
  1: `
  1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.3.1 1.3.2 1.5.1 2.1.1 2.2.1 2.2.2 2.3.1 3.2.1 3.2.2 3.3.1 3.4.1 3.4.2
  3.5.1 3.5.2 3.5.3 4.1.1 4.4.1 5.2.1 5.2.2 5.3.1 5.3.2 6.1.1 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7
  6.2.8 6.3.1 6.3.2 6.4.1 6.4.2 7.2.1 7.2.2 7.2.3 7.2.4 7.4.1 7.4.2 8.1.1 8.2.1 8.2.2 8.3.1 9.1.1 9.1.2
  9.1.3 9.2.1 10.4.1 10.4.2 10.4.3 10.4.4 10.4.5 11.3.1 11.3.2 11.4.1 12.1.1 12.2.1 12.2.2 13.4.1 14.2.1
  14.3.1 15.1.1 15.2.1 15.3.1`,
  2: `
  1.1.1 1.1.2 1.2.6 1.2.7 1.2.8 1.2.9 1.3.3 1.3.4 1.3.5 1.3.6 1.3.7 1.3.8 1.3.9 1.3.10 1.3.11 1.4.1
  1.4.2 1.4.3 1.5.2 2.1.2 2.1.3 2.2.3 2.3.2 2.3.3 2.3.4 2.4.1 3.3.2 3.3.3 3.3.4 3.4.3 3.4.4 3.4.5 3.4.6
  3.5.4 3.5.5 3.7.1 3.7.2 4.1.2 4.1.3 4.2.1 4.3.1 4.3.2 4.4.2 4.4.3 4.4.4 5.1.1 5.2.3 5.4.1 5.4.2 5.4.3
  6.1.2 6.1.3 6.2.9 6.2.10 6.2.11 6.2.12 6.3.3 6.3.4 6.4.3 6.4.4 6.5.1 6.5.2 6.5.3 6.5.4 6.5.5 6.6.1
  6.6.2 6.6.3 6.8.1 6.8.2 6.8.3 6.8.4 7.1.1 7.1.2 7.1.3 7.3.1 7.3.2 7.4.3 7.4.4 7.4.5 7.5.1 7.5.2 7.6.1
  7.6.2 8.1.2 8.2.3 8.4.1 9.2.2 9.2.3 9.2.4 10.1.1 10.1.2 10.2.1 10.2.2 10.3.1 10.3.2 10.3.3 10.3.4
  10.4.6 10.4.7 10.4.8 10.4.9 10.4.10 10.4.11 10.5.1 10.5.2 10.5.3 10.5.4 10.5.5 10.6.1 10.6.2 10.7.1
  10.7.2 10.7.3 11.1.1 11.1.2 11.2.1 11.2.2 11.2.3 11.3.3 11.4.2 11.4.3 11.4.4 11.5.1 11.6.1 12.1.2
  12.1.3 12.3.1 12.3.2 12.3.3 12.3.4 13.1.1 13.2.1 13.2.2 13.2.3 13.2.4 13.2.5 13.3.1 13.3.2 13.4.2
  13.4.3 13.4.4 13.4.5 14.1.1 14.1.2 14.2.2 14.2.3 14.2.4 14.3.2 14.3.3 15.1.2 15.1.3 15.2.2 15.2.3
  15.3.2 15.3.3 15.3.4 15.3.5 15.3.6 15.3.7 16.1.1 16.2.1 16.2.2 16.2.3 16.2.4 16.2.5 16.3.1 16.3.2
  16.3.3 16.3.4 16.4.1 16.4.2 16.4.3 16.5.1 16.5.2 16.5.3 17.1.1 17.2.1 17.2.2 17.2.3 17.2.4 17.3.1
  17.3.2`,
  3: `
  2.3.5 2.4.2 6.3.5 6.3.6 6.3.7 6.3.8 6.4.5 6.4.6 6.5.6 6.5.7 6.5.8 6.6.4 6.7.1 6.7.2 8.1.3 8.1.4 8.2.4
  8.3.2 8.3.3 8.4.2 11.1.3 11.1.4 11.2.4 11.2.5 11.3.4 11.3.5 11.5.2 11.6.2 11.7.1 11.7.2`,
}

type Row = { id: string; level: string; status: string; evidence: string }

/** The rows of a table in Markdown, as cells. */
function cellsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line =>
      line
        .slice(2, -2)
        .split(/(?<!\\)\|/)
        .map(cell => cell.trim()),
    )
}

const asvs = read('docs/asvs.md')
const rows: Row[] = cellsOf(asvs)
  .filter(([id = '']) => /^\d+\.\d+\.\d+$/.test(id))
  .map(([id, level, , status, evidence]) => ({ id, level, status, evidence }) as Row)

/** Paths in the text, as far as they look like files of the project. */
function filesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)+\.\w+)`/g)].map(([, path]) => path!)
  const linked = [...text.matchAll(/\]\(((?!https?:)[\w./-]+)(?:#[\w-]+)?\)/g)].map(
    ([, path]) => `docs/${path}`,
  )
  return [...quoted, ...linked]
}
const isTest = (path: string) => /\.(test|e2e)\.ts$/.test(path)

test('each requirement of the standard is in docs/asvs.md once, with its level', () => {
  const given = Object.entries(levels).flatMap(([level, ids]) =>
    ids
      .trim()
      .split(/\s+/)
      .map(id => [id, level]),
  )
  expect(given.filter(([, level]) => level !== '3')).toHaveLength(253)
  expect(rows.map(({ id, level }) => [id, level]).toSorted()).toEqual(given.toSorted())
})

test('every requirement that is met names a test, any other one its reason', () => {
  for (const { id, status, evidence } of rows) {
    expect(['met', 'n. a.', 'not met'], id).toContain(status)
    if (status === 'met') expect(filesIn(evidence).some(isTest) || /; shown by/.test(evidence), id).toBe(true)
    if (status === 'n. a.') expect(evidence.length, id).toBeGreaterThan(0)
    if (status === 'not met') expect(evidence, id).toMatch(/\bdecides?\b/)
  }
})

test('every file named in the documents of security exists', () => {
  for (const document of ['docs/asvs.md', 'docs/controls.md', 'SECURITY.md']) {
    const text = read(document).replaceAll('](docs/', '](').replaceAll('](../', '](../')
    expect(
      filesIn(text).filter(path => !existsSync(join(ROOT, path))),
      document,
    ).toEqual([])
  }
})

test('the totals of docs/asvs.md are those of its rows', () => {
  const count = (level: string, status?: string) =>
    rows.filter(row => row.level === level && (status === undefined || row.status === status)).length
  const totals = ['1', '2', '3'].map(level => [
    level,
    ...['met', 'n. a.', 'not met', undefined].map(status => String(count(level, status))),
  ])
  expect(cellsOf(asvs).filter(([first = '']) => /^[123]$/.test(first))).toEqual(totals)
  const notMet = rows.filter(({ status }) => status === 'not met')
  expect(asvs).toContain(`Not met: ${notMet.map(({ id, level }) => `${id} (level ${level})`).join(', ')}.`)
})

test('each row of SECURITY.md names tests that show it', () => {
  const threats = cellsOf(read('SECURITY.md')).filter(
    cells => cells.length === 3 && !/^(threat|-+)$/.test(cells[0]!),
  )
  expect(threats.length).toBeGreaterThan(40)
  for (const [threat, , shown] of threats) expect(filesIn(shown!).filter(isTest), threat).not.toEqual([])
})

test('the values of limits in docs/controls.md are those of the code', () => {
  const named = [...read('docs/controls.md').matchAll(/`(\w+)` \((\d+)\)/g)].map(([, name, value]) => [
    name,
    value,
  ])
  expect(named.length).toBeGreaterThan(15)
  const values = limits as unknown as Record<string, unknown>
  expect(named).toEqual(named.map(([name]) => [name, String(values[name!])]))
})

const cryptography =
  /(?:from |import\()'(node:crypto|@noble\/[^']*|@node-rs\/argon2|fast-jwt|@simplewebauthn\/[^']*|@scure\/(bip32|btc-signer)[^']*|viem[^']*)'/

test('docs/controls.md lists every file that uses cryptography', () => {
  const using = ['server', 'shared', 'web'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map(path => join(folder, path))
      .filter(path => /\.tsx?$/.test(path) && !isTest(path) && cryptography.test(read(path))),
  )
  const section = /## Cryptography in the code\n([\s\S]*?)\n## /.exec(read('docs/controls.md'))![1]!
  expect(
    filesIn(
      cellsOf(section)
        .map(([files]) => files)
        .join(' '),
    ).toSorted(),
  ).toEqual(using.toSorted())
})

test('nothing uses an old cipher, mode or hash function', () => {
  const used = filesIn(/## Cryptography in the code\n([\s\S]*?)\n## /.exec(read('docs/controls.md'))![1]!)
    .filter(path => /\.tsx?$/.test(path))
    .flatMap(path => [...read(path).matchAll(/create(?:Hash|Hmac|Cipheriv|Decipheriv)\('([\w-]+)'/g)])
    .map(([, name]) => name)
  expect([...new Set(used)].toSorted()).toEqual(['aes-256-gcm', 'sha1', 'sha256'])
})
