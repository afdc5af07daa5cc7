/** The demonstration's accounts (D2), with staff of each role. They exist in demo mode only. */
export const sampleLogins = [
  { email: 'admin@probity.test', password: 'demo-admin', who: 'administrator' },
  { email: 'admin2@probity.test', password: 'demo-admin2', who: 'second administrator' },
  { email: 'investor@probity.test', password: 'demo-investor', who: 'investor' },
  { email: 'finance@probity.test', password: 'demo-finance', who: 'finance' },
  { email: 'support@probity.test', password: 'demo-support', who: 'support' },
  { email: 'auditor@probity.test', password: 'demo-auditor', who: 'auditor' },
] as const
