import { afterEach, expect, test, vi } from 'vitest'
import { translatedLanguages } from '#shared/i18n/languages.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

test('[D-21] shows the moments of a sentence of the server in the time zone of the reader', async () => {
  vi.stubEnv('TZ', 'Australia/Sydney')
  vi.resetModules()
  const { inLocalTime } = await import('./local-time.ts')
  expect(inLocalTime('Send 0.1 BTC by 23 Nov 2026, 19:41 UTC.')).toBe('Send 0.1 BTC by 24 Nov 2026, 06:41.')
  expect(inLocalTime('Late: received at 1 Sept 2026, 09:05 UTC. Paid.')).toBe(
    'Late: received at 1 Sept 2026, 19:05. Paid.',
  )
  expect(inLocalTime('Until 1 Sep 2026, 09:05 UTC.')).toBe('Until 1 Sept 2026, 19:05.')
  expect(inLocalTime('UTC days; 30 days include today.')).toBe('UTC days; 30 days include today.')
})

test.each(translatedLanguages)(
  'shows moments of sentences in %s in the reader’s time zone',
  async language => {
    vi.stubEnv('TZ', 'Australia/Sydney')
    vi.resetModules()
    const { languageFrom } = await import('#shared/i18n/language.ts')
    languageFrom(() => language)
    const { dateAndTime, inLocalTime } = await import('./local-time.ts')
    const { utcMinute } = await import('#shared/moments.ts')
    const moments = Array.from({ length: 24 }, (_, at) => new Date(Date.UTC(2026, at / 2, 3 + at, at, 5)))
    for (const moment of moments) {
      expect(inLocalTime(`0.1 BTC: ${utcMinute(moment)}. 2`)).toBe(`0.1 BTC: ${dateAndTime(moment)}. 2`)
    }
  },
)
