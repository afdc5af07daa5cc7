/** Addresses that only the public pages and documents name. */
export const serverPaths = {
  contactThanks: '/contact?sent=1',
  speculationRules: '/speculation-rules.json',
  sitemap: '/sitemap.xml',
  manifest: '/manifest.webmanifest',
} as const
