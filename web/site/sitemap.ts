import { pageDates } from 'virtual:page-dates'
import { listPlans } from '#shared/contract/plans.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { site } from '#shared/contract/site.ts'
import { type Language, languageCodes, sourceLanguage } from '#shared/i18n/languages.ts'
import { policyPaths } from '#shared/policies.ts'
import { inLanguagePath } from '#web/language.ts'
import { paths } from '#web/paths.ts'
import type { Visit } from './page-data.ts'

/** /sitemap.xml: the public pages with the day of their last change, if known. */
export async function respond({ host }: Visit) {
  const plans = await host.call(listPlans, {})
  const { policies } = await host.call(site, {})
  const { log } = await host.call(proofOverview, {})
  const pages = [
    { path: paths.home, changed: [pageDates.home] },
    { path: paths.about, changed: [pageDates.about] },
    // Its text changes with the sources, its figures with the catalogue.
    {
      path: paths.plans,
      changed: [pageDates['investment-plans'], ...plans.map(plan => plan.changedAt)],
    },
    { path: paths.services, changed: [pageDates.services] },
    { path: paths.contact, changed: [pageDates.contact] },
    { path: paths.proof, changed: [pageDates.proof, log?.signedAt] },
    { path: paths.faq, changed: [pageDates.faq] },
    ...policies.map(({ kind, from }) => ({ path: policyPaths[kind], changed: [pageDates.policy, from] })),
  ]
  const entries = pages.flatMap(({ path, changed }) => entriesOf(host.publicUrl, path, latestDay(changed)))
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entries.join('\n')}
</urlset>
`
  return new Response(text, { headers: { 'Content-Type': 'application/xml; charset=utf-8' } })
}

/** A page in each language; every one names all of them. */
function entriesOf(origin: string, path: string, day: string | undefined): string[] {
  const lastmod = day === undefined ? '' : `<lastmod>${day}</lastmod>`
  const addressIn = (language: Language) => escaped(origin + inLanguagePath(path, language))
  const others = languageCodes
    .map(code => `<xhtml:link rel="alternate" hreflang="${code}" href="${addressIn(code)}"/>`)
    .join('')
  const plain = `<xhtml:link rel="alternate" hreflang="x-default" href="${addressIn(sourceLanguage)}"/>`
  return languageCodes.map(code => `  <url><loc>${addressIn(code)}</loc>${lastmod}${others}${plain}</url>`)
}

function escaped(address: string): string {
  return address.replaceAll('&', '&amp;')
}

function latestDay(moments: (string | undefined)[]): string | undefined {
  const times = moments.filter(moment => moment !== undefined).map(moment => Date.parse(moment))
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString().slice(0, 10)
}
