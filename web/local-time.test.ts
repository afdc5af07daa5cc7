import { afterEach, expect, test, vi } from 'vitest'

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
  expect(inLocalTime('UTC days; 30 days include today.')).toBe('UTC days; 30 days include today.')
})
