import { paths } from '#web/paths.ts'

/** Addresses that only the public pages and documents name. */
export const serverPaths = {
  get contactThanks() {
    return `${paths.contact}?sent=1`
  },
  speculationRules: '/speculation-rules.json',
  sitemap: '/sitemap.xml',
  manifest: '/manifest.webmanifest',
  serviceWorker: '/sw.js',
  /** What the service worker shows when a page cannot be reached. */
  offline: '/offline',
} as const
