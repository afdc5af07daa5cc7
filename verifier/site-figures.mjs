// @ts-check
import { Invalid, Unavailable } from './errors.mjs'

/** Compares the figures that the firm's site shows with those that follow from the log. */

/** @typedef {import('./books.mjs').Figures} Figures */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {'API' | 'home page'} Place */
/** @typedef {{ place: Place, label: string, value: string, kind: string, asOf: string }} Statistic */
/** @typedef {'equal' | 'later' | 'stated'} State later: computed after the newest epoch; stated: not from the books */

const MOST_ANSWER_BYTES = 1_000_000
/** A figure may be dated so far ahead of the visitor's clock. */
const MOST_AHEAD_MS = 5 * 60_000
const ENTITIES = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
])

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
const LABELS = new Map([...SITE_FIGURES.keys()].map(label => [asRead(label), label]))

/**
 * @param {Source} site
 * @returns {Promise<Statistic[] | null>} of its API and its home page; null if there is no site, but a copy of the proof
 * @throws {Unavailable}
 */
export async function readSiteFigures(site) {
  const bytes = await site.read('api/site', MOST_ANSWER_BYTES)
  if (bytes === null) return null
  const page = (await site.read('', MOST_ANSWER_BYTES)) ?? new Uint8Array()
  return [...figuresInAnswer(bytes), ...figuresOnPage(new TextDecoder().decode(page))]
}

/**
 * @param {Uint8Array} bytes
 * @returns {Statistic[]}
 */
function figuresInAnswer(bytes) {
  try {
    const { data } = JSON.parse(new TextDecoder().decode(bytes))
    return data.statistics.map((/** @type {Record<string, unknown>} */ { label, value, kind, asOf }) => ({
      place: 'API',
      label: String(label),
      value: String(value),
      kind: String(kind),
      asOf: String(asOf),
    }))
  } catch {
    throw new Unavailable('the answer of /api/site is not the one expected')
  }
}

/**
 * The figures that a page marks (docs/proof-format.md).
 * @param {string} html
 * @returns {Statistic[]}
 */
export function figuresOnPage(html) {
  /** @type {Statistic[]} */
  const found = []
  /** @type {Statistic | null} */
  let open = null
  for (const [, tag, attributes = '', text = ''] of html.matchAll(/<(div|dt|dd)\b([^<>]*)>([^<>]*)/g)) {
    const content = withoutEntities(text)
    if (tag === 'div') {
      const [, kind] = /\bdata-statistic="([^"]*)"/.exec(attributes) ?? []
      const [, asOf = ''] = /\bdata-as-of="([^"]*)"/.exec(attributes) ?? []
      open = kind === undefined ? null : { place: 'home page', label: '', value: '', kind, asOf }
    } else if (open !== null && tag === 'dt') open.label = content
    else if (open !== null) {
      found.push({ ...open, value: content })
      open = null
    }
  }
  return found
}

/** @param {string} text */
function withoutEntities(text) {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, entity => ENTITIES.get(entity) ?? entity)
}

/** A label as people read it: without case, and without characters that nobody sees. @param {string} label */
function asRead(label) {
  return label
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/**
 * @param {Statistic} statistic
 * @param {Figures} figures at the last epoch's end
 * @param {string} date the day of that end
 * @param {Date} now
 * @returns {State}
 * @throws {Invalid} if the books contradict it
 * @throws {Unavailable} if it is said to be from the books, and is none that follows from them
 */
export function compareFigure({ place, label, value, kind, asOf }, figures, date, now) {
  const known = SITE_FIGURES.get(LABELS.get(asRead(label)) ?? '')
  const shows = `the site's ${place} shows "${label}" as ${value}`
  if (known === undefined && kind !== 'ledger') return 'stated'
  if (known === undefined)
    throw new Unavailable(
      `${shows} and calls it a figure of the ledger, but no such figure follows from the log`,
    )
  const moment = Date.parse(asOf)
  if (!(moment <= now.getTime() + MOST_AHEAD_MS))
    throw new Invalid(`${shows} as of ${asOf}, which is no time in the past`)
  const sealed = known.of(figures)
  const shown = cents(value)
  if (shown === sealed) return 'equal'
  const isLater = new Date(moment).toISOString().slice(0, 10) > date
  if (shown !== null && isLater && !(known.grows && shown < sealed)) return 'later'
  throw new Invalid(`${shows}, the log of ${date} has ${dollars(sealed)}`)
}

/**
 * The figures of the books that the site does not show, in words.
 * @param {readonly Statistic[]} statistics
 */
export function hiddenFigures(statistics) {
  return /** @type {const} */ (['API', 'home page']).flatMap(place => {
    const shown = new Set(statistics.filter(one => one.place === place).map(({ label }) => asRead(label)))
    const hidden = [...LABELS].filter(([read]) => !shown.has(read)).map(([, label]) => `"${label}"`)
    return hidden.length === 0 ? [] : [`The site's ${place} does not show ${hidden.join(', ')}.`]
  })
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
