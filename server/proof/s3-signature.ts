import { createHash, createHmac } from 'node:crypto'

/** Whose requests they are, and where. */
export type S3Key = { id: string; secret: string; region: string }

/**
 * The headers of a request to an S3-compatible store, signed by AWS Signature Version 4 (all given headers are signed).
 * @param url its path percent-encoded once, as it is sent, without a query
 */
export function signedHeaders(
  { method, url, headers, body }: { method: string; url: URL; headers: Record<string, string>; body: Buffer },
  { id, secret, region }: S3Key,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
  }
  const names = Object.keys(all).toSorted()
  const request = [
    method,
    url.pathname,
    '',
    ...names.map(name => `${name}:${all[name]!.trim()}`),
    '',
    names.join(';'),
    all['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const key = scope
    .split('/')
    .reduce<Buffer>((secretSoFar, part) => hmac(secretSoFar, part), Buffer.from(`AWS4${secret}`))
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(request)}`).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`
  // The client sets the host itself.
  const { host: _host, ...sent } = all
  return { ...sent, authorization }
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
