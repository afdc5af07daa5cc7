import { readFileSync } from 'node:fs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { type Policy, readPolicy } from '#verifier/policy.mjs'
import { type Environment, isLoopback, isOpen } from './environment.ts'

/** The witnesses that are asked to cosign the public log (C2SP tlog-policy), and the file that names them. */
export type WitnessPolicy = { text: string; policy: Policy }

/** The database keeps 50 cosignatures of a checkpoint (ledger.most_cosignatures): room for an auditor and replaced witnesses. */
const MOST_WITNESSES = 40

type Given = Partial<Pick<Environment, 'PROOF_WITNESS_POLICY'>>

export function witnessPolicyOf({ PROOF_WITNESS_POLICY: file }: Given): WitnessPolicy | null {
  if (file === undefined) return null
  const text = readFileSync(file, 'utf8')
  return { text, policy: readPolicy(text, nodeHashes).policy }
}

export function witnessPolicyErrors({ PROOF_WITNESS_POLICY: file }: Given): string[] {
  if (!file) return []
  try {
    const { policy, errors } = readPolicy(readFileSync(file, 'utf8'), nodeHashes)
    const unusable = [...policy.witnesses].filter(([, { url }]) => !isAddress(url))
    return [
      ...errors,
      ...(policy.witnesses.size > MOST_WITNESSES ? [`it names more than ${MOST_WITNESSES} witnesses`] : []),
      ...unusable.map(
        ([name]) => `the witness ${name} needs an address that begins with https:// and names no user`,
      ),
    ].map(error => `PROOF_WITNESS_POLICY: ${error}`)
  } catch (error) {
    return [`PROOF_WITNESS_POLICY: ${(error as Error).message}`]
  }
}

/** Plain HTTP only on this machine: a cosignature is public, but somebody on the way could withhold it. */
function isAddress(url: string | null): boolean {
  if (url === null || !URL.canParse(url) || !isOpen(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
