import { dayOf } from '#shared/moments.ts'

/** Days and times of a time zone (an IANA name, such as 'Australia/Sydney'), from Node's own tables. */

/** More than any zone's distance from UTC, in milliseconds. */
const FARTHEST_MS = 30 * 3_600_000

type Parts = Record<Intl.DateTimeFormatPartTypes, string>

function partsOf(zone: string): (at: Date) => Parts {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  })
  return at => Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as Parts
}

/** A moment as local time. */
export type LocalTime = {
  /** YYYY-MM-DD */
  day: string
  /** HH:MM */
  time: string
  /** ISO 8601 to the millisecond, with the zone's offset at that moment. */
  iso: string
}

/**
 * Reads moments in a zone.
 * @throws RangeError for an unknown zone
 */
export function localTimes(zone: string): (at: Date) => LocalTime {
  const read = exactTimes(zone)
  const offsets = new Map<number, Offset | undefined>()
  /** The offset of a whole UTC day; undefined if it changes within it. */
  const offsetOn = (day: number): Offset | undefined => {
    if (offsets.has(day)) return offsets.get(day)
    const [first, next] = [offsetAt(read, day * DAY_MS), offsetAt(read, (day + 1) * DAY_MS)]
    const offset = first.text === next.text ? first : undefined
    if (offsets.size >= MOST_DAYS) offsets.clear()
    offsets.set(day, offset)
    return offset
  }
  return at => {
    const ms = at.getTime()
    const offset = ms >= WHOLE_MINUTES_MS ? offsetOn(Math.floor(ms / DAY_MS)) : undefined
    if (offset === undefined) return read(at)
    const local = new Date(ms + offset.ms).toISOString()
    return { day: local.slice(0, 10), time: local.slice(11, 16), iso: local.slice(0, 23) + offset.text }
  }
}

/** Intl takes longer than all else of a line of a file, so days with one offset are computed. */
const DAY_MS = 86_400_000
/** Days whose offsets a reader remembers. */
const MOST_DAYS = 5_000
/** Since then all zones differ from UTC by whole minutes. */
const WHOLE_MINUTES_MS = Date.UTC(1973, 0, 1)

type Offset = { text: string; ms: number }

function offsetAt(read: (at: Date) => LocalTime, ms: number): Offset {
  const { iso } = read(new Date(ms))
  return { text: iso.slice(23), ms: Date.parse(`${iso.slice(0, 23)}Z`) - ms }
}

function exactTimes(zone: string): (at: Date) => LocalTime {
  const read = partsOf(zone)
  return at => {
    const { year, month, day, hour, minute, second, fractionalSecond, timeZoneName } = read(at)
    const date = `${year.padStart(4, '0')}-${month}-${day}`
    // 'GMT+11:00'; some versions write 'GMT' alone for zero.
    const offset = timeZoneName.slice('GMT'.length) || '+00:00'
    const time = `${hour}:${minute}`
    return { day: date, time, iso: `${date}T${time}:${second}.${fractionalSecond}${offset}` }
  }
}

/**
 * The first moment of a day (YYYY-MM-DD) in a zone; it is not always midnight.
 * @throws RangeError for an unknown zone
 */
export function startOfDay(day: string, zone: string): Date {
  return findStart(day, localTimes(zone))
}

/** The same for many days, with one reading of the zone's rules. */
export function startsOfDays(days: readonly string[], zone: string): Date[] {
  const read = localTimes(zone)
  return days.map(day => findStart(day, read))
}

/** Local days never repeat, so the earliest moment of a day is its start. */
function findStart(day: string, read: (at: Date) => LocalTime): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const offsetMs = Date.parse(`${read(new Date(midnight)).iso.slice(0, 23)}Z`) - midnight
  const likely = midnight - offsetMs
  if (read(new Date(likely)).day === day && read(new Date(likely - 1)).day < day) return new Date(likely)
  // The zone's offset changes around it.
  let before = midnight - FARTHEST_MS
  let found = midnight + FARTHEST_MS
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2)
    if (read(new Date(middle)).day < day) before = middle
    else found = middle
  }
  return new Date(found)
}

/** The day after a day (YYYY-MM-DD). */
export function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return dayOf(next)
}

/** The day before a day (YYYY-MM-DD). */
export function dayBefore(day: string): string {
  return dayOf(new Date(Date.parse(day) - 86_400_000))
}
