import { navigation } from '#web/components/navigation.ts'

/**
 * Which pages a browser may prepare when somebody is about to open them (speculation rules, HTML standard): the public ones,
 * which do nothing but show themselves. layout.tsx names this file to them.
 */
export function respond() {
  const pages = { href_matches: navigation.map(({ href }) => href) }
  return new Response(JSON.stringify({ prerender: [{ where: pages, eagerness: 'moderate' }] }), {
    headers: { 'Content-Type': 'application/speculationrules+json', 'Cache-Control': 'public, max-age=3600' },
  })
}
