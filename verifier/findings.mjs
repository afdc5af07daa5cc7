// @ts-check
import { Invalid, messageOf, Unavailable } from './errors.mjs'

/** What a verification found, check by check. */

/** Each check, in the order in which people read it. */
export const CHECKS = /** @type {const} */ ([
  'key',
  'signature',
  'history',
  'log',
  'journal',
  'tags',
  'epochs',
  'totals',
  'checkpoints',
  'liabilities',
  'documents',
  'reserves',
  'receipts',
  'seen',
  'stamps',
  'witnesses',
  'figures',
  'opening',
])

/** @typedef {typeof CHECKS[number]} Check */
/** @typedef {{ check: Check, message: string }} Finding */
/**
 * @typedef {'books' | 'receipt' | 'promise' | 'policy' | 'quorum'} Subject what is wrong: what everybody is shown, a receipt
 *   that the visitor gave, the firm's promise in a signed one, the visitor's policy, or who has cosigned by it
 */

/** One broken leaf may break every total after it: so many findings of a check are kept. */
const MOST_PER_CHECK = 8

export class Findings {
  /** @type {Finding[]} what is wrong */
  failures = []
  /** @type {Finding[]} what could not be read */
  missing = []
  /** @type {string[]} what people should know, and is not wrong */
  remarks = []
  /** @type {Map<Check, number>} */
  #counts = new Map()
  /** @type {Set<Subject>} of all failures */
  subjects = new Set()
  /** @type {Set<Check>} */
  #done = new Set()

  /**
   * @param {Check} check
   * @param {string} message
   * @param {Subject} subject
   */
  fail(check, message, subject = 'books') {
    this.subjects.add(subject)
    const count = (this.#counts.get(check) ?? 0) + 1
    this.#counts.set(check, count)
    if (count <= MOST_PER_CHECK) this.failures.push({ check, message })
  }

  /**
   * @param {Check} check
   * @param {string} message
   */
  miss(check, message) {
    if (this.missing.filter(finding => finding.check === check).length < MOST_PER_CHECK)
      this.missing.push({ check, message })
  }

  /** @param {Check} check which has been made as a whole */
  done(check) {
    this.#done.add(check)
  }

  /** @param {Check} check */
  count(check) {
    return this.#counts.get(check) ?? 0
  }

  /**
   * @param {Check} check
   * @returns {'fails' | 'unknown' | 'holds' | 'not made'}
   */
  state(check) {
    if (this.count(check) > 0) return 'fails'
    if (this.missing.some(finding => finding.check === check)) return 'unknown'
    return this.#done.has(check) ? 'holds' : 'not made'
  }

  /**
   * Runs a part of a check; whatever it throws becomes a finding, so that nothing found before is lost.
   * @template Result
   * @param {Check} check
   * @param {string} name of the part, for people
   * @param {() => Result | Promise<Result>} part
   * @param {Subject} subject
   * @returns {Promise<Result | undefined>}
   */
  async attempt(check, name, part, subject = 'books') {
    try {
      return await part()
    } catch (error) {
      if (error instanceof Invalid) this.fail(check, `${name}: ${error.message}`, subject)
      else if (error instanceof Unavailable) this.miss(check, `${name}: ${error.message}`)
      else this.miss(check, `${name} could not be checked here: ${messageOf(error)}`)
      return undefined
    }
  }
}
