import { t } from '#shared/i18n/t.ts'

/** Ordered: the first match identifies the browser or system. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  Mac: 'macOS',
  Linux: 'Linux',
}

/** Browser and system of a User-Agent, within a sentence: 'Firefox on Linux', 'an unknown browser'. */
export function deviceWords(userAgent: string | null): string {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => userAgent?.includes(mark))?.[1]
  const browser = named(browsers) ?? t('an unknown browser')
  const system = named(systems)
  return system === undefined ? browser : t('{browser} on {system}', { browser, system })
}

/** The same alone: 'An unknown browser'. */
export function deviceName(userAgent: string | null): string {
  const words = deviceWords(userAgent)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
