// @ts-check
import { fromDecimal, textOf, utf8 } from './bytes.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { ownNote } from './note.mjs'
import { checkTimeStamp } from './time-stamp.mjs'

/** The time stamps of the epochs' checkpoints, which show that these are not younger than they say. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('node:crypto').X509Certificate} X509Certificate */
/** @typedef {{ epoch: number, authority: string, time: string, isTrusted: boolean }} Dated */

const MOST_STAMP_BYTES = 100_000
const MOST_LIST_BYTES = 10_000_000
/** A day ends with an epoch; a day's outage of the authority is no reason to doubt it. */
const DAYS_UNTIL_LATE = 2
const DAY_MS = 86_400_000
const MOST_LATE_NAMED = 10
const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/

/**
 * The names of the stamps of each epoch, as the firm lists them.
 * @param {Source} source
 * @returns {Promise<Map<number, string[]>>}
 * @throws {Invalid}
 */
export async function readStampList(source) {
  const bytes = await source.read('stamps', MOST_LIST_BYTES)
  /** @type {Map<number, string[]>} */
  const names = new Map()
  if (bytes === null) return names
  const lines = textOf(bytes).split('\n')
  if (lines.pop() !== '') throw new Invalid('its last line has no end')
  for (const line of lines) {
    const [number = '', name = '', ...others] = line.split(' ')
    const epoch = fromDecimal(number)
    const known = names.get(epoch) ?? []
    if (!NAME.test(name) || others.length > 0 || known.includes(name))
      throw new Invalid(`"${line}" does not name a stamp`)
    names.set(epoch, [...known, name])
  }
  return names
}

/**
 * Checks one stamp: it is over the epoch's checkpoint as the log signed it, and not older than the epoch's day.
 * @param {{ source: Source, hashes: Hashes, keys: import('./log-keys.mjs').LogKeys, authorities: X509Certificate[] | null }} given
 * @param {{ epoch: number, date: string }} epoch
 * @param {Checkpoint} checkpoint
 * @param {string} name
 * @returns {Promise<Dated>}
 * @throws {Invalid | Unavailable}
 */
export async function checkStamp({ source, hashes, keys, authorities }, { epoch, date }, checkpoint, name) {
  const path = `epochs/${epoch}/stamps/${name}.tsr`
  const bytes = await source.read(path, MOST_STAMP_BYTES)
  if (bytes === null) throw new Unavailable(`${path} is missing`)
  const imprint = hashes.sha256(utf8(ownNote(checkpoint, keys.all)))
  const { time, signer, isTrusted } = checkTimeStamp(bytes, imprint, authorities)
  const moment = time.toISOString()
  if (moment.slice(0, 10) < date)
    throw new Invalid(`it says ${moment}, which is before ${date}, the day that the epoch ends`)
  return { epoch, authority: signer, time: moment, isTrusted }
}

/**
 * Names the epochs whose earliest stamp, their own or a later epoch's, came days after the day that they state.
 * @param {readonly { epoch: number, date: string }[]} epochs
 * @param {readonly Dated[]} stamps
 * @returns {string[]} remarks
 */
export function datedLate(epochs, stamps) {
  /** @type {{ first: number, last: number, day: string }[]} newest first */
  const ranges = []
  let earliest = ''
  /** @type {Map<number, string>} */
  const own = new Map()
  for (const { epoch, time } of stamps) if (time < (own.get(epoch) ?? '9')) own.set(epoch, time)
  for (const { epoch, date } of [...epochs].reverse()) {
    const time = own.get(epoch)
    if (time !== undefined && (earliest === '' || time < earliest)) earliest = time
    const day = earliest.slice(0, 10)
    if (day === '' || Date.parse(day) - Date.parse(date) <= DAYS_UNTIL_LATE * DAY_MS) continue
    const range = ranges.at(-1)
    if (range?.day === day && range.first === epoch + 1) range.first = epoch
    else ranges.push({ first: epoch, last: epoch, day })
  }
  const remarks = ranges.reverse().map(lateInWords)
  const more = remarks.length - MOST_LATE_NAMED
  return more > 0
    ? [...remarks.slice(0, MOST_LATE_NAMED), `So it is with ${more} more groups of epochs.`]
    : remarks
}

/** @param {{ first: number, last: number, day: string }} range */
function lateInWords({ first, last, day }) {
  const epochs = first === last ? `Epoch ${first} was` : `Epochs ${first}–${last} were`
  return `${epochs} dated only on ${day}, more than ${DAYS_UNTIL_LATE} days after the day stated: no time stamp shows an earlier one.`
}
