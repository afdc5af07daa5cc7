import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { type Definitions, readDefinitions } from './definitions.ts'
import type { InvariantCheck } from './invariants.ts'

/** Made from the migrations by `npm run db:types`. */
export const DEFINITIONS_FILE = join(import.meta.dirname, '../../db/definitions.json')

const MOST_EXAMPLES = 10

/**
 * Checks that the database's own rules are the ones of this release: nothing that guards the books was changed, added,
 * removed or switched off. Its own query reads them, because a changed database would vouch for itself.
 */
export async function checkDefinitions(client: Client): Promise<InvariantCheck> {
  const release = JSON.parse(readFileSync(DEFINITIONS_FILE, 'utf8')) as Definitions
  const found = await readDefinitions(client)
  const differing = differences(release, found)
  return {
    name: 'rules_as_released',
    statement: 'The rules that the database enforces are the ones of this release',
    examined: Object.keys(found.objects).length,
    faults: differing.length,
    examples: differing.slice(0, MOST_EXAMPLES),
  }
}

type Difference = { object: string; difference: 'missing' | 'added' | 'changed' }

/**
 * Another major version of PostgreSQL may spell the same definition differently, so there only what is missing or added
 * is found, and changed rows of the rules.
 */
function differences(release: Definitions, found: Definitions): Difference[] {
  const isSpelledAlike = release.postgres === found.postgres
  const names = new Set([...Object.keys(release.objects), ...Object.keys(found.objects)])
  return [...names].flatMap((object): Difference[] => {
    const [before, now] = [release.objects[object], found.objects[object]]
    if (before === now) return []
    if (now === undefined) return [{ object, difference: 'missing' }]
    if (before === undefined) return [{ object, difference: 'added' }]
    if (isSpelledAlike || isRow.test(object)) return [{ object, difference: 'changed' }]
    return []
  })
}

const isRow = /^(posting rule|account kind|asset) /
