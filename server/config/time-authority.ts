import { readFileSync } from 'node:fs'
import { certificatesIn } from '#verifier/time-stamp.mjs'
import type { Environment } from './environment.ts'

/** Who dates the checkpoints of the public log (RFC 3161). */
export type TimeAuthority = {
  url: string
  /** Its host, by which its stamps are named. */
  name: string
  /** PEM: an answer must lead to one of them. */
  certificates: string
  /** The policy that an answer must state, if not any. */
  policy: string | null
}

type Given = Partial<Pick<Environment, 'PROOF_TSA_URL' | 'PROOF_TSA_CERTIFICATES' | 'PROOF_TSA_POLICY'>>

export function timeAuthorityOf({
  PROOF_TSA_URL: url,
  PROOF_TSA_CERTIFICATES: file,
  PROOF_TSA_POLICY: policy,
}: Given): TimeAuthority | null {
  if (url === undefined || file === undefined) return null
  return {
    url,
    name: new URL(url).hostname,
    certificates: readFileSync(file, 'utf8'),
    policy: policy ?? null,
  }
}

export function timeAuthorityErrors({
  PROOF_TSA_URL: url,
  PROOF_TSA_CERTIFICATES: file,
  PROOF_TSA_POLICY: policy,
}: Given): string[] {
  if (url === undefined && file === undefined)
    return policy === undefined ? [] : ['PROOF_TSA_POLICY: needs PROOF_TSA_URL']
  if (url === undefined) return ['PROOF_TSA_URL: is required with PROOF_TSA_CERTIFICATES']
  if (file === undefined) return ['PROOF_TSA_CERTIFICATES: is required with PROOF_TSA_URL']
  try {
    certificatesIn(readFileSync(file, 'utf8'))
    return []
  } catch (error) {
    return [`PROOF_TSA_CERTIFICATES: ${(error as Error).message}`]
  }
}
