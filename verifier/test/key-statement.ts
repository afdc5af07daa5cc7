import { sign } from 'node:crypto'
import type { LogKey } from './made-up-firm.ts'

/** A statement by which a log's key was replaced, written after docs/proof-format.md. */

const lineOf = (text: string, key: LogKey) => {
  const signature = sign(null, Buffer.from(text), key.privateKey)
  return `— ${key.origin} ${Buffer.concat([key.keyId, signature]).toString('base64')}\n`
}

type Stated = { from: LogKey; to: LogKey; signers?: LogKey[]; reason?: string; epoch?: number }

export function keyStatement(stated: Stated): string {
  const { from, to, reason = 'planned', epoch = 5 } = stated
  const { signers = [from, to] } = stated
  const text = `probity-log-key/v1\nlog: ${to.origin}\nepoch: ${epoch}\ndate: 2026-10-05\nreason: ${reason}\nfrom: ${from.vkey}\nto: ${to.vkey}\n`
  return `${text}\n${signers.map(key => lineOf(text, key)).join('')}`
}
