import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { privateNames, privateWords, specifiedTexts } from './private-words.ts'
import { check } from './rules.ts'

/** Part of npm test: prints each line of the project that breaks a rule of style, as file:line. */

const ROOT = join(import.meta.dirname, '../..')
const CHECKED = /(\.(tsx?|mjs|css|sql|md|service|conf|example)|Caddyfile|Dockerfile)$/
/** The list itself. */
const EXCEPTED = 'tools/lint/private-words.ts'
const ignoredFolders = readFileSync(join(ROOT, '.gitignore'), 'utf8')
  .split('\n')
  .filter(line => line.endsWith('/'))
  .map(line => line.slice(0, -1))

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['.git', ...ignoredFolders].includes(entry.name) ? [] : filesIn(path)
    return CHECKED.test(entry.name) ? [relative(ROOT, path)] : []
  })
}

const vocabulary = { words: privateWords, names: privateNames, specified: specifiedTexts }
const findings = filesIn(ROOT)
  .filter(file => file !== EXCEPTED)
  .flatMap(file => check(file, readFileSync(join(ROOT, file), 'utf8'), vocabulary))
for (const { file, line, problem } of findings) console.log(`${file}:${line} ${problem}`)
if (findings.length > 0) process.exitCode = 1
