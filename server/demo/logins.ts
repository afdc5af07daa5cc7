/** The demonstration's accounts (D2). They exist in demo mode only. */
export const sampleLogins = [
  { email: 'admin@probity.test', password: 'demo-admin', who: 'administrator' },
  { email: 'admin2@probity.test', password: 'demo-admin2', who: 'second administrator' },
  { email: 'investor@probity.test', password: 'demo-investor', who: 'investor' },
] as const
