import type { X509Certificate } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditLog, chooseKey, publishedKey } from '#verifier/audit.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import type { Opening } from '#verifier/opening.mjs'
import type { GivenReceipt, SeenHead } from '#verifier/promises.mjs'
import { exitCode, reportText } from '#verifier/report.mjs'
import { State } from '#verifier/state.mjs'
import type { Ask } from '#verifier/witnessed.mjs'
import type { Files } from './made-up-firm.ts'

export type Visit = {
  vkey?: string
  policy?: string
  askWitness?: Ask
  authorities?: X509Certificate[]
  /** The answer of its API, and its home page. */
  site?: unknown
  page?: string
  now?: Date
  /** Where the files are; a website if it begins with https. */
  place?: string
  receipts?: GivenReceipt[]
  secret?: Buffer | null
  seen?: SeenHead[]
  opening?: Opening
}

/** Somebody who verifies a log, again and again, from the same computer. */
export class Visitor {
  readonly folder = mkdtempSync(join(tmpdir(), 'verifier-'))
  readonly #state = new State(this.folder)

  async visit(files: Files, visit: Visit = {}) {
    const { vkey, policy, site, page = '', place = 'memory:', ...others } = visit
    const source = inMemory(place, path => files.get(path))
    const published = await publishedKey(source)
    const pinned = await this.#state.vkey()
    const key = chooseKey({ given: vkey ?? null, pinned, published }, nodeHashes)
    if (pinned === null) await this.#state.trust(key.vkey)
    const pages = new Map([
      ['api/site', Buffer.from(JSON.stringify(site ?? null))],
      ['', Buffer.from(page)],
    ])
    const answer = site === undefined ? null : inMemory('site:', path => pages.get(path))
    const now = new Date('2026-10-21T12:00:00Z')
    const given = { source, site: answer, hashes: nodeHashes, now, policy: policy ?? null, ...others }
    const audit = await auditLog(given, { key, firstSeen: pinned === null, published }, this.#state)
    return { audit, exitCode: exitCode(audit), report: reportText(audit), failures: audit.findings.failures }
  }

  async forget(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** One visit by somebody who has never been there. */
export async function visitOnce(files: Files, visit?: Visit) {
  const visitor = new Visitor()
  try {
    return await visitor.visit(files, visit)
  } finally {
    await visitor.forget()
  }
}

function inMemory(place: string, find: (path: string) => Buffer | undefined) {
  return { place, read: async (path: string) => find(path) ?? null }
}
