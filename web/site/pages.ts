import { policyKinds, policyPaths } from '#shared/policies.ts'
import { paths } from '#web/paths.ts'
import { serverPaths } from '#web/server/paths.ts'
import * as about from './about.tsx'
import * as contact from './contact.tsx'
import * as faq from './faq.tsx'
import * as home from './home.tsx'
import * as plans from './investment-plans.tsx'
import * as manifest from './manifest.ts'
import * as notFound from './not-found.tsx'
import * as offline from './offline.tsx'
import type { Resource, SitePage } from './page-data.ts'
import { policyPage } from './policy.tsx'
import * as proof from './proof.tsx'
import * as robots from './robots.ts'
import * as serviceWorker from './service-worker.ts'
import * as services from './services.tsx'
import * as sitemap from './sitemap.ts'
import * as speculationRules from './speculation-rules.ts'

/** The public pages by path: plain HTML without script. Unknown paths are `notFound`. */
export const sitePages: Record<string, SitePage> = {
  [paths.home]: home,
  [paths.about]: about,
  [paths.plans]: plans,
  [paths.services]: services,
  [paths.contact]: contact,
  [paths.proof]: proof,
  [paths.faq]: faq,
  [serverPaths.offline]: offline,
  ...Object.fromEntries(policyKinds.map(kind => [policyPaths[kind], policyPage(kind)])),
}

export { notFound }

/** Files for machines. */
export const resources: Record<string, Resource> = {
  [serverPaths.speculationRules]: speculationRules,
  '/robots.txt': robots,
  [serverPaths.sitemap]: sitemap,
  [serverPaths.manifest]: manifest,
  [serverPaths.serviceWorker]: serviceWorker,
}
