import type { Config } from '#server/config.ts'

/** Nothing may be loaded by, or around, an answer that is no document: of the API, or of an error. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** A picture brings its own style (SVG), and nothing else. */
export const filePolicy = `${closedPolicy}; style-src 'unsafe-inline'`

/** For downloads, which a person may open like a page: they run no script and have no origin. */
export const downloadPolicy = `${closedPolicy}; sandbox`

/**
 * The policy of a page: everything from this origin, and nothing written into it.
 * @param own plainPage or scriptedPage
 */
export function pagePolicy(
  { publicUrl, liveChat }: Pick<Config, 'publicUrl' | 'liveChat'>,
  own: readonly string[],
): string {
  const directives = [
    "default-src 'none'",
    ...own,
    "img-src 'self' data:",
    "font-src 'self'",
    // The chat runs in its own origin and not in this one, which keeps the tokens.
    ...(liveChat === null ? [] : [`frame-src ${new URL(liveChat.frame).origin}`]),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  if (publicUrl.startsWith('https:')) directives.push('upgrade-insecure-requests')
  return directives.join('; ')
}

/** It requests nothing itself; an outside checker (Lighthouse) reads robots.txt in its name. */
export const plainPage = ["script-src 'none'", "style-src 'self'", "connect-src 'self'"]

/** Scripts and styles are files; no inline script and no style element can come in (D9). */
export const scriptedPage = [
  "script-src 'self'",
  "style-src 'self'",
  // Positions and sizes that scripts compute are style attributes; no rule can come in this way.
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
]

/** What a page may ask of the device: nothing but writing to the clipboard (copy buttons). */
const permissionsPolicy =
  'accelerometer=(), camera=(), clipboard-write=(self), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()'

/**
 * What every answer tells browsers: the headers that Helmet 8 sends by default, as constants, so that they cost a request
 * next to nothing. A page replaces the content security policy by its own.
 */
export function securityHeaders({
  mode,
  publicUrl,
}: Pick<Config, 'mode' | 'publicUrl'>): Record<string, string> {
  return {
    // Nothing of a demonstration is for search engines, the API included (D2).
    ...(mode === 'demo' ? { 'x-robots-tag': 'noindex' } : {}),
    'content-security-policy': closedPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': permissionsPolicy,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    ...(publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}
