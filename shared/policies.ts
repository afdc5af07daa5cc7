import { msg } from '#shared/i18n/t.ts'

/** What the firm publishes about how it deals with people, each on a page of its own (decision 170). */
export const policyKinds = ['terms', 'privacy', 'risk', 'cookies', 'complaints'] as const
export type PolicyKind = (typeof policyKinds)[number]

export const policyTitles: Record<PolicyKind, string> = {
  terms: msg('Terms'),
  privacy: msg('Privacy notice'),
  risk: msg('Risk disclosure'),
  cookies: msg('Cookies'),
  complaints: msg('Complaints'),
}

/** Their pages in English; links are publicPath(policyPaths[kind]). Not in web/paths.ts, which every page of the app loads. */
export const policyPaths: Record<PolicyKind, string> = {
  terms: '/terms',
  privacy: '/privacy',
  risk: '/risk-disclosure',
  cookies: '/cookies',
  complaints: '/complaints',
}
