import type { Language } from '#shared/i18n/languages.ts'
import account from './account.json' with { type: 'json' }
import console from './console.json' with { type: 'json' }
import dashboard from './dashboard.json' with { type: 'json' }
import pages from './pages.json' with { type: 'json' }
import server from './server.json' with { type: 'json' }
import shared from './shared.json' with { type: 'json' }
import site from './site.json' with { type: 'json' }

/**
 * The translations of every text, by its English. `npm run texts` writes the files anew: a text is in that of the first
 * area that has it, and what no code has any more leaves.
 */
export const catalogue: Readonly<Record<string, Partial<Record<Language, string>>>> = {
  ...shared,
  ...server,
  ...pages,
  ...site,
  ...account,
  ...dashboard,
  ...console,
}
