import { languageCodes } from '#shared/i18n/languages.ts'
import { navigation } from '#web/components/navigation.ts'
import { inLanguagePath } from '#web/language.ts'
import { paths } from '#web/paths.ts'

/** Speculation rules (HTML standard): browsers may prerender the public pages, which have no side effects. */
export function respond() {
  const english = [...navigation().map(({ href }) => href), paths.proof, paths.faq]
  const pages = {
    href_matches: languageCodes.flatMap(code => english.map(path => inLanguagePath(path, code))),
  }
  return new Response(JSON.stringify({ prerender: [{ where: pages, eagerness: 'moderate' }] }), {
    headers: { 'Content-Type': 'application/speculationrules+json', 'Cache-Control': 'public, max-age=3600' },
  })
}
