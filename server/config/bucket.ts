import type { Environment } from './environment.ts'

/** An S3-compatible bucket that gets a copy of the public proof. */
export type Bucket = {
  /** With the bucket, and a folder in it: https://s3.example.com/bucket/folder. */
  url: string
  region: string
  id: string
  secret: string
}

type Given = Partial<
  Pick<
    Environment,
    'PROOF_BUCKET_URL' | 'PROOF_BUCKET_REGION' | 'PROOF_BUCKET_KEY_ID' | 'PROOF_BUCKET_SECRET'
  >
>

export function bucketOf(env: Given): Bucket | null {
  const { PROOF_BUCKET_URL: url, PROOF_BUCKET_KEY_ID: id, PROOF_BUCKET_SECRET: secret } = env
  if (url === undefined || id === undefined || secret === undefined) return null
  return { url, id, secret, region: env.PROOF_BUCKET_REGION ?? 'us-east-1' }
}

export function bucketErrors(env: Given): string[] {
  const needed = ['PROOF_BUCKET_URL', 'PROOF_BUCKET_KEY_ID', 'PROOF_BUCKET_SECRET'] as const
  const missing = needed.filter(name => env[name] === undefined)
  if (missing.length === 0 || missing.length === needed.length) return []
  return missing.map(name => `${name}: is required with the other PROOF_BUCKET_… variables`)
}
