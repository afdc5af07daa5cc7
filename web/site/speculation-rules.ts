import { navigation } from '#web/components/navigation.ts'
import { paths } from '#web/paths.ts'

/** Speculation rules (HTML standard): browsers may prerender the public pages, which have no side effects. */
export function respond() {
  const pages = { href_matches: [...navigation().map(({ href }) => href), paths.proof, paths.faq] }
  return new Response(JSON.stringify({ prerender: [{ where: pages, eagerness: 'moderate' }] }), {
    headers: { 'Content-Type': 'application/speculationrules+json', 'Cache-Control': 'public, max-age=3600' },
  })
}
