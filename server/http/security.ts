import type { Config } from '#server/config.ts'

/** Nothing may be loaded by, or around, an answer of the API. */
export const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/** The policy of a page: everything from this origin, scripts and style elements only with this answer's nonce. */
export function pagePolicy(nonce: string, config: Config): string {
  const directives = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Positions and sizes that scripts compute (dialogs, menus) are style attributes; no rule can come in this way.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  if (config.publicUrl.startsWith('https:')) directives.push('upgrade-insecure-requests')
  return directives.join('; ')
}

/**
 * What every answer tells browsers, beside its content security policy, which is set where the answer is made: the
 * headers that Helmet 8 sends by default, as constants, so that they cost a request next to nothing.
 */
export function securityHeaders(config: Config): Record<string, string> {
  return {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    ...(config.publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}

/** What a page may ask of the device: nothing but writing to the clipboard (copy buttons). */
export const permissionsPolicy =
  'accelerometer=(), camera=(), clipboard-write=(self), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()'
