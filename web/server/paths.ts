/** Addresses that only the public pages and documents name. */
export const serverPaths = {
  contactThanks: '/contact?sent=1',
  speculationRules: '/speculation-rules.json',
  sitemap: '/sitemap.xml',
  manifest: '/manifest.webmanifest',
  serviceWorker: '/sw.js',
  /** What the service worker shows when a page cannot be reached. */
  offline: '/offline',
} as const
