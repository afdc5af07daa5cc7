import { sourceLanguage } from '#shared/i18n/languages.ts'
import { serverPaths } from '#web/server/paths.ts'
import type { Visit } from './page-data.ts'

/** Private pages, and paths that are no pages. */
const closed = ['/api/', '/dashboard', '/admin', '/verify/', '/reset-password', '/invitation', '/mailbox']

/** /robots.txt: keeps search engines out of a demonstration altogether (P-14). */
export function respond({ host }: Visit) {
  const { mode } = host.knownSite(sourceLanguage)
  const rules = mode === 'live' ? closed.map(path => `Disallow: ${path}`) : ['Disallow: /']
  const sitemap = mode === 'live' ? ['', `Sitemap: ${host.publicUrl}${serverPaths.sitemap}`] : []
  const text = ['User-agent: *', ...rules, ...sitemap, ''].join('\n')
  return new Response(text, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
}
