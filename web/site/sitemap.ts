import { pageDates } from 'virtual:page-dates'
import { listPlans } from '#shared/contract/plans.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { site } from '#shared/contract/site.ts'
import { policyPaths } from '#shared/policies.ts'
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
  const entries = pages.map(({ path, changed }) => entry(host.publicUrl + path, latestDay(changed)))
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`
  return new Response(text, { headers: { 'Content-Type': 'application/xml; charset=utf-8' } })
}

function entry(address: string, day: string | undefined): string {
  const lastmod = day === undefined ? '' : `<lastmod>${day}</lastmod>`
  return `  <url><loc>${address.replaceAll('&', '&amp;')}</loc>${lastmod}</url>`
}

function latestDay(moments: (string | undefined)[]): string | undefined {
  const times = moments.filter(moment => moment !== undefined).map(moment => Date.parse(moment))
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString().slice(0, 10)
}
