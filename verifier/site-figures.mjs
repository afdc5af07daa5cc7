// @ts-check
import { Invalid, Unavailable } from './errors.mjs'

/** Compares the figures that the firm's site shows with those that follow from the log. */

/** @typedef {import('./books.mjs').Figures} Figures */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {{ label: string, value: string, kind: string, asOf: string }} Statistic */

const MOST_ANSWER_BYTES = 1_000_000

/**
 * Each figure of the site that is computed from the books, by its label; `grows` if it can never fall.
 * @type {Map<string, { of: (figures: Figures) => bigint, grows: boolean }>}
 */
export const SITE_FIGURES = new Map([
  ['Invested in active plans', { of: figures => figures.invested, grows: false }],
  ['Realised returns recorded', { of: figures => figures.returnsRecorded, grows: false }],
  ['Earnings paid', { of: figures => figures.earningsPaid, grows: true }],
  ['Withdrawals paid', { of: figures => figures.withdrawn, grows: true }],
])

/**
 * @param {Source} site
 * @returns {Promise<Statistic[] | null>} those computed from the books; null if there is no site, but a copy of the proof
 * @throws {Unavailable}
 */
export async function readSiteFigures(site) {
  const bytes = await site.read('api/site', MOST_ANSWER_BYTES)
  if (bytes === null) return null
  try {
    const { data } = JSON.parse(new TextDecoder().decode(bytes))
    return data.statistics.filter((/** @type {Statistic} */ { kind }) => kind === 'ledger')
  } catch {
    throw new Unavailable('the answer of /api/site is not the one expected')
  }
}

/**
 * @param {Statistic} statistic
 * @param {Figures} figures at the last epoch's end
 * @param {string} date the day of that end
 * @returns {'equal' | 'later' | 'unknown'} later: it was computed after that end, so the books may have moved on
 * @throws {Invalid} if the books contradict it
 */
export function compareFigure({ label, value, asOf }, figures, date) {
  const known = SITE_FIGURES.get(label)
  if (known === undefined) return 'unknown'
  const sealed = known.of(figures)
  const shown = cents(value)
  if (shown === sealed) return 'equal'
  const isLater = String(asOf).slice(0, 10) > date
  if (shown !== null && isLater && !(known.grows && shown < sealed)) return 'later'
  throw new Invalid(`the site shows "${label}" as ${value}, the log of ${date} has ${dollars(sealed)}`)
}

/** @param {string} text */
function cents(text) {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)\$([\d,]+)\.(\d\d)$/.exec(text) ?? []
  return whole === '' ? null : BigInt(sign + whole.replaceAll(',', '') + fraction)
}

/**
 * Cents as $1,000.50.
 * @param {bigint} amount
 */
export function dollars(amount) {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0')
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${amount < 0n ? '-' : ''}$${whole}.${digits.slice(-2)}`
}
