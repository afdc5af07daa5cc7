import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayAfter, localTimes, startOfDay } from './zones.ts'

test.each([
  ['UTC', '2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['Australia/Sydney', '2026-11-21', '2026-11-20T13:00:00.000Z'],
  // The clocks go forward at 02:00 that day, and the next one begins an hour earlier.
  ['Australia/Sydney', '2026-10-04', '2026-10-03T14:00:00.000Z'],
  ['Australia/Sydney', '2026-10-05', '2026-10-04T13:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
  // Midnight does not exist that day: the clocks go from 24:00 to 01:00.
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-06-01', '2026-05-31T10:00:00.000Z'],
])('in %s the day %s begins at %s', (zone, day, begin) => {
  expect(startOfDay(day, zone).toISOString()).toBe(begin)
})

test('a moment reads as the day, time and offset of its zone', () => {
  const at = new Date('2026-11-20T13:05:09.007Z')
  expect(localTimes('Australia/Sydney')(at)).toEqual({
    day: '2026-11-21',
    time: '00:05',
    iso: '2026-11-21T00:05:09.007+11:00',
  })
  expect(localTimes('UTC')(at).iso).toBe('2026-11-20T13:05:09.007+00:00')
  expect(() => localTimes('Mars/Olympus')).toThrow(RangeError)
})

test('reads moments as Intl does, also on a day whose offset changes', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter((_, n) => n % 7 === 0)
  const moments = fc.date({ min: new Date('1950-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(
      moments,
      fc.constantFrom('Pacific/Apia', 'America/St_Johns', 'Africa/Casablanca', ...zones),
      (at, timeZone) => {
        const { iso } = localTimes(timeZone)(at)
        const words = new Intl.DateTimeFormat('sv-SE', {
          timeZone,
          dateStyle: 'short',
          timeStyle: 'medium',
        }).format(at)
        expect(iso.slice(0, 19).replace('T', ' ')).toBe(words)
      },
    ),
    { numRuns: 2_000 },
  )
  const sydney = localTimes('Australia/Sydney')
  const around = ['2026-10-03T15:59:59.999Z', '2026-10-03T16:00:00.000Z'].map(at => sydney(new Date(at)).iso)
  expect(around).toEqual(['2026-10-04T01:59:59.999+10:00', '2026-10-04T03:00:00.000+11:00'])
})

test('every moment is in the day that it is shown as, and its text parses back', () => {
  const zones = [
    'UTC',
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Asia/Kolkata',
    'Europe/London',
    'Pacific/Apia',
  ]
  // Until 2011 St. John's turned its clocks back a minute after midnight, so an hour of an ended day repeated.
  const moments = fc.date({ min: new Date('2012-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (zone, at) => {
      const { day, iso } = localTimes(zone)(at)
      expect(new Date(iso)).toEqual(at)
      expect(startOfDay(day, zone) <= at && at < startOfDay(dayAfter(day), zone)).toBe(true)
    }),
  )
})
