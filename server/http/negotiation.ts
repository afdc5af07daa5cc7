/** In the server's order of preference. */
const encodings = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof encodings)[number]

/**
 * Chooses the encoding by the Accept-Encoding header (RFC 9110, 12.5.3); uncompressed without the header, or if it
 * refuses everything available.
 */
export function encodingFor(header: string | undefined): Encoding {
  // Browsers send no weights, and accept Brotli.
  if (header === undefined) return 'identity'
  if (!header.includes(';') && /\bbr\b/.test(header)) return 'br'
  const weights = weightsOf(header)
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? 0.001 : 0)
  let best: Encoding = 'identity'
  for (const encoding of [...encodings].reverse()) {
    if (weightOf(encoding) > 0 && weightOf(encoding) >= weightOf(best)) best = encoding
  }
  return best
}

function weightsOf(header: string): Map<string, number> {
  return new Map(
    header
      .toLowerCase()
      .split(',')
      .map(item => {
        const [name = '', ...parameters] = item.split(';').map(part => part.trim())
        const given = parameters.find(parameter => parameter.startsWith('q='))
        const weight = given === undefined ? 1 : Number(given.slice(2))
        return [name, weight >= 0 && weight <= 1 ? weight : 0]
      }),
  )
}

/** True if the client has this version already, by If-None-Match with weak comparison (RFC 9110, 13.1.2). */
export function hasVersion(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some(item => item.trim().replace(/^W\//, '') === etag)
}
