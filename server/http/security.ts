import type { FastifyHelmetOptions } from '@fastify/helmet'
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

/** The headers that every answer has in common; content security policies are set where the answer is made. */
export function securityHeaders(config: Config): FastifyHelmetOptions {
  return {
    contentSecurityPolicy: false,
    crossOriginEmbedderPolicy: false,
    strictTransportSecurity: config.publicUrl.startsWith('https:')
      ? { maxAge: 31_536_000, includeSubDomains: true }
      : false,
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  }
}

/** What a page may ask of the device: nothing but writing to the clipboard (copy buttons). */
export const permissionsPolicy =
  'accelerometer=(), camera=(), clipboard-write=(self), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()'
