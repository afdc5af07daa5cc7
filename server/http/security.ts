import type { Config } from '#server/config.ts'

/** For answers that are no document (API, errors): load nothing, and frame nothing. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** An SVG picture may use its own style, and nothing else. */
export const filePolicy = `${closedPolicy}; style-src 'unsafe-inline'`

/** For downloads, which a person may open like a page: no script and no origin. */
export const downloadPolicy = `${closedPolicy}; sandbox`

/**
 * A page's policy: everything from this origin, nothing inline.
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
    // The chat runs in its own origin, so it cannot read the tokens of this one.
    ...(liveChat === null ? [] : [`frame-src ${new URL(liveChat.frame).origin}`]),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  if (publicUrl.startsWith('https:')) directives.push('upgrade-insecure-requests')
  return directives.join('; ')
}

/** A page needs no connections itself; Lighthouse reads robots.txt in its name. */
export const plainPage = ["script-src 'none'", "style-src 'self'", "connect-src 'self'"]

/** Scripts and styles are files only; no inline script or style element can be injected (D9). */
export const scriptedPage = [
  "script-src 'self'",
  "style-src 'self'",
  // Scripts set positions and sizes as style attributes, which cannot carry a rule.
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
]

/** Device permissions for pages: only writing to the clipboard (copy buttons). */
const permissionsPolicy =
  'accelerometer=(), camera=(), clipboard-write=(self), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()'

/**
 * Security headers of every answer: those that Helmet 8 sends by default, as constants because they cost less. A page
 * replaces the content security policy.
 */
export function securityHeaders({
  mode,
  publicUrl,
}: Pick<Config, 'mode' | 'publicUrl'>): Record<string, string> {
  return {
    // Search engines must not index a demonstration, its API included (D2).
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
