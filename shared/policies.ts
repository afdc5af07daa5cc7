/** What the firm publishes about how it deals with people, each on a page of its own (decision 170). */
export const policyKinds = ['terms', 'privacy', 'risk', 'cookies', 'complaints'] as const
export type PolicyKind = (typeof policyKinds)[number]

export const policyTitles: Record<PolicyKind, string> = {
  terms: 'Terms',
  privacy: 'Privacy notice',
  risk: 'Risk disclosure',
  cookies: 'Cookies',
  complaints: 'Complaints',
}

/** Their pages; not in web/paths.ts, which every page of the app loads. */
export const policyPaths: Record<PolicyKind, string> = {
  terms: '/terms',
  privacy: '/privacy',
  risk: '/risk-disclosure',
  cookies: '/cookies',
  complaints: '/complaints',
}
