// @ts-check
import { Books, figuresOf } from './books.mjs'
import { equal, fromBase64, hex } from './bytes.mjs'
import { EVENTS } from './chart.mjs'
import { isClosed } from './closed-leaf.mjs'
import { DigestSet } from './digests.mjs'
import { checkStated, compareBalances, isEpochEnd, owedIn, parseEpoch } from './epoch.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { decimal, parseTransaction } from './journal.mjs'
import { HASH_BYTES } from './merkle.mjs'
import { readAhead } from './source.mjs'
import { GrowingTree, TILE_WIDTH, tilePath, tileWidth } from './tiles.mjs'

/** Reads the whole log once, leaf by leaf, and checks all that follows from it alone. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./epoch.mjs').Epoch} Epoch */
/** @typedef {import('./findings.mjs').Findings} Findings */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./tiles.mjs').Tile} Tile */
/** @typedef {Epoch & { size: number, root: Uint8Array }} SealedEpoch with the log's head after it */

const REQUESTS_AT_ONCE = 8
const MOST_BUNDLE_BYTES = TILE_WIDTH * (2 + 0xffff)
const DAY_MS = 86_400_000
/** Missing days that are named; of more, the first and the last. */
const MOST_DAYS_NAMED = 10
/** Missing days that are listed: a firm may write any year. */
const MOST_DAYS_LISTED = 10_000
const EVENT_NAMES = [...EVENTS.keys()]

/**
 * @param {object} given
 * @param {Source} given.source
 * @param {Hashes} given.hashes
 * @param {{ size: number, root: Uint8Array }} given.head
 * @param {Findings} given.findings
 * @param {(size: number) => boolean} [given.wantsRoot] of an earlier size
 * @param {(leaves: number) => void} [given.onProgress]
 * @param {(leaf: string) => string | null} [given.open] the text of a closed leaf
 * @param {(leaf: string) => void} [given.onLeaf] a closed one opened, if it can be
 * @throws {Invalid | Unavailable} if the rest cannot be read
 */
export async function readLog({ source, hashes, head, findings, wantsRoot, onProgress, open, onLeaf }) {
  const log = new LogReader(hashes, findings, wantsRoot ?? (() => false), { open, onLeaf })
  // Never a list: a signed checkpoint may state any size.
  const bundles = () => tilesOfLevel(head.size, 0)
  const tiles = readAhead(bundles(), tile => publishedTile(source, tile), REQUESTS_AT_ONCE)
  const entries = readAhead(
    bundles(),
    async tile => await entryBundle(source, { ...tile, level: 'entries' }),
    REQUESTS_AT_ONCE,
  )
  for (const bundle of bundles()) {
    const read = (await entries.next()).value
    if (read !== undefined) log.addBundle(bundle, read)
    log.compareTile(bundle, (await tiles.next()).value ?? null)
    onProgress?.(log.size)
  }
  for (let level = 1; tileWidth(head.size, level, 0) > 0; level += 1)
    for (const tile of tilesOfLevel(head.size, level))
      log.compareTile(tile, await publishedTile(source, tile))
  log.finish(head.root)
  return log
}

/**
 * @param {number} size
 * @param {number} level
 * @returns {Generator<Tile & { level: number }>}
 */
function* tilesOfLevel(size, level) {
  for (let n = 0; tileWidth(size, level, n) > 0; n += 1) yield { level, n, width: tileWidth(size, level, n) }
}

/**
 * A tile, or in place of a partial one its full form, which may have replaced it.
 * @param {Source} source
 * @param {Tile} tile
 * @param {number} mostBytes
 */
async function tileOrFull(source, tile, mostBytes) {
  const bytes = await source.read(tilePath(tile), mostBytes)
  if (bytes !== null || tile.width === TILE_WIDTH) return { bytes, isFull: false }
  return { bytes: await source.read(tilePath({ ...tile, width: TILE_WIDTH }), mostBytes), isFull: true }
}

/**
 * @param {Source} source
 * @param {Tile} tile
 */
export async function publishedTile(source, tile) {
  const { bytes, isFull } = await tileOrFull(source, tile, TILE_WIDTH * HASH_BYTES)
  return isFull && bytes !== null ? bytes.subarray(0, tile.width * HASH_BYTES) : bytes
}

/**
 * @param {Source} source
 * @param {Tile} tile
 */
async function entryBundle(source, tile) {
  const { bytes, isFull } = await tileOrFull(source, tile, MOST_BUNDLE_BYTES)
  if (bytes === null) throw new Unavailable(`${tilePath(tile)} is missing`)
  return { bytes, isFull }
}

export class LogReader {
  books = new Books()
  /** Closed leaves that nobody opened: totals cannot be recomputed with them. */
  closed = 0
  /** @type {number | null} the epoch of the first of them */
  closedSince = null
  /** Tags of investors' lines. */
  tags = new DigestSet()
  /** @type {SealedEpoch[]} */
  epochs = []
  /** @type {Map<number, Uint8Array>} by size: those asked for */
  roots = new Map()
  /** @type {string[]} */
  missingDays = []
  rootHolds = false
  tilesRead = 0
  #hashes
  #findings
  #wantsRoot
  #open
  #onLeaf
  #tree
  #date = ''
  #leavesInEpoch = 0
  /** @type {number[]} by tag: its epoch's place and its event, as one number, since a log has millions */
  #linesByTag = []
  /** @type {Map<string, Uint8Array>} by path: those not compared yet */
  #computed = new Map()
  /** @type {string[]} */
  #tileFailures = []
  /** @type {Set<string>} those of the last epoch's totals */
  #differences = new Set()
  #latin1 = new TextDecoder('latin1')

  /**
   * @param {Hashes} hashes
   * @param {Findings} findings
   * @param {(size: number) => boolean} wantsRoot
   * @param {{ open?: ((leaf: string) => string | null) | undefined, onLeaf?: ((leaf: string) => void) | undefined }} [leaves]
   */
  constructor(hashes, findings, wantsRoot, { open, onLeaf } = {}) {
    this.#hashes = hashes
    this.#findings = findings
    this.#wantsRoot = wantsRoot
    this.#open = open
    this.#onLeaf = onLeaf
    this.#tree = new GrowingTree(hashes, (level, n, row) => {
      this.#computed.set(tilePath({ level, n, width: TILE_WIDTH }), row.slice())
    })
  }

  get size() {
    return this.#tree.size
  }

  /**
   * @param {Tile} tile
   * @param {{ bytes: Uint8Array, isFull: boolean }} read of a full bundle, only the leaves that the tile has
   * @throws {Invalid} if the leaves cannot be told apart
   */
  addBundle({ n, width }, { bytes, isFull }) {
    const path = tilePath({ level: 'entries', n, width })
    // A leaf has ASCII characters only, as its form requires; others fail there.
    const text = this.#latin1.decode(bytes)
    const prefixed = new Uint8Array(0x10000)
    let at = 0
    for (let leaf = 0; leaf < width; leaf += 1) {
      const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
      const end = at + 2 + length
      if (at + 2 > bytes.length || end > bytes.length)
        throw new Invalid(`${path} ends within leaf ${this.size}`)
      prefixed.set(bytes.subarray(at + 2, end), 1)
      this.#tree.append(this.#hashes.sha256(prefixed.subarray(0, length + 1)))
      this.#addLeaf(text.slice(at + 2, end))
      at = end
    }
    if (at !== bytes.length && !isFull) throw new Invalid(`${path} has bytes after its last leaf`)
  }

  /** @param {string} published */
  #addLeaf(published) {
    const leaf = isClosed(published) ? (this.#open?.(published) ?? published) : published
    this.#onLeaf?.(leaf)
    try {
      if (isEpochEnd(leaf)) this.#endEpoch(parseEpoch(leaf))
      else if (isClosed(leaf)) this.#addClosed()
      else this.#addTransaction(leaf)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      this.#findings.fail(isEpochEnd(leaf) ? 'epochs' : 'journal', `${this.#here()}: ${error.message}`)
    }
    if (this.#wantsRoot(this.size)) this.roots.set(this.size, this.#tree.root())
  }

  #here() {
    return `leaf ${this.size - 1} (epoch ${this.epochs.length + 1})`
  }

  #addClosed() {
    this.#leavesInEpoch += 1
    this.closed += 1
    this.closedSince ??= this.epochs.length + 1
  }

  /** @param {string} leaf */
  #addTransaction(leaf) {
    this.#leavesInEpoch += 1
    const transaction = parseTransaction(leaf)
    for (const { tag } of transaction.lines) if (tag !== null) this.#addTag(tag, transaction.event)
    if (transaction.date < this.#date)
      this.#findings.fail(
        'journal',
        `${this.#here()}: its date ${transaction.date} is before ${this.#date}, that of the leaf before`,
      )
    else this.#date = transaction.date
    this.books.add(transaction, { isWhole: this.closed === 0 })
  }

  /**
   * @param {string} tag
   * @param {string} event
   */
  #addTag(tag, event) {
    if (this.tags.add(fromBase64(tag)) === null)
      this.#linesByTag.push(this.epochs.length * EVENT_NAMES.length + EVENT_NAMES.indexOf(event))
    else this.#findings.fail('tags', `${this.#here()}: the tag ${tag} is also on another line`)
  }

  /**
   * @param {string} tag
   * @returns {{ place: number, event: string } | null} the first line with it: which of the epochs has it, from 0
   */
  lineWith(tag) {
    const line = this.#linesByTag[this.tags.find(fromBase64(tag)) ?? -1]
    if (line === undefined) return null
    const place = Math.floor(line / EVENT_NAMES.length)
    return { place, event: EVENT_NAMES[line % EVENT_NAMES.length] ?? '' }
  }

  /** @param {Epoch} epoch */
  #endEpoch(epoch) {
    const fail = (/** @type {import('./findings.mjs').Check} */ check, /** @type {string} */ message) =>
      this.#findings.fail(check, `epoch ${epoch.epoch}: ${message}`)
    const last = this.epochs.at(-1)
    const number = (last?.epoch ?? 0) + 1
    if (epoch.epoch !== number) fail('epochs', epochsMissing(number, epoch.epoch))
    if (epoch.leaves !== this.#leavesInEpoch)
      fail('epochs', `it states ${epoch.leaves} transactions, the log has ${this.#leavesInEpoch}`)
    if (epoch.date < this.#date)
      fail('epochs', `it ends on ${epoch.date}, but a leaf before it is of ${this.#date}`)
    else this.#date = epoch.date
    const missing = last === undefined ? null : this.missDays(last.date, epoch.date)
    if (missing !== null) fail('epochs', `no epoch ended on ${missing}`)
    this.#compareTotals(epoch)
    this.#leavesInEpoch = 0
    this.epochs.push({ ...epoch, size: this.size, root: this.#tree.root() })
  }

  /**
   * Lists the days after one and before another as missing.
   * @param {string} from
   * @param {string} to
   * @returns {string | null} their names; null if there are none
   */
  missDays(from, to) {
    const count = daysBetween(from, to)
    if (count <= 0) return null
    const room = MOST_DAYS_LISTED - this.missingDays.length
    for (let day = 1; day <= Math.min(count, room); day += 1) this.missingDays.push(dayAfter(from, day))
    return count > MOST_DAYS_NAMED
      ? `${count.toLocaleString('en-US')} days, ${dayAfter(from, 1)} to ${dayAfter(from, count)}`
      : Array.from({ length: count }, (_, at) => dayAfter(from, at + 1)).join(', ')
  }

  /**
   * Names a difference in the epoch in which it appears, and not again while it stays.
   * @param {Epoch} epoch
   */
  #compareTotals({ epoch, balances, liabilities }) {
    const computed = this.closed === 0 ? this.books.balances() : balances
    const owed = owedIn(computed)
    const sum = liabilities?.sum ?? 0n
    const invalid = this.closed === 0 ? compareBalances(balances, computed) : checkStated(balances)
    const totals = invalid.map(found => ({ ...found, check: /** @type {const} */ ('totals') }))
    const tree = {
      check: /** @type {const} */ ('liabilities'),
      what: `tree ${sum - owed}`,
      message: `the tree's sum is ${decimal(sum, 'USD')} USD, the journal owes investors ${decimal(owed, 'USD')} USD`,
    }
    const differences = sum === owed ? totals : [...totals, tree]
    for (const { check, what, message } of differences)
      if (!this.#differences.has(what)) this.#findings.fail(check, `epoch ${epoch}: ${message}`)
    this.#differences = new Set(differences.map(({ what }) => what))
  }

  /** The public figures at the last epoch's end: of the journal or, where leaves are closed, as the firm states them. */
  figures() {
    return figuresOf(this.closed === 0 ? this.books.balances() : (this.epochs.at(-1)?.balances ?? []))
  }

  /**
   * Compares a published tile with the one that the leaves give.
   * @param {Tile} tile
   * @param {Uint8Array | null} published
   */
  compareTile(tile, published) {
    const path = tilePath(tile)
    const computed = this.#computed.get(path) ?? this.#partial(path)
    this.#computed.delete(path)
    if (published === null) return this.#findings.miss('log', `${path} is missing`)
    this.tilesRead += 1
    if (computed === undefined || equal(computed, published)) return
    const hash = Math.floor(computed.findIndex((byte, at) => byte !== published[at]) / HASH_BYTES)
    const place = tile.n * TILE_WIDTH + Math.max(hash, 0)
    this.#tileFailures.push(
      tile.level === 0
        ? `leaf ${place} is not what ${path} says was sealed`
        : `${path} is not what its leaves give, at its hash ${hash}`,
    )
  }

  /** @param {string} path */
  #partial(path) {
    return this.#tree.partialTiles().find(tile => tilePath(tile) === path)?.row
  }

  /** @param {Uint8Array} root that of the checkpoint */
  finish(root) {
    const computed = this.#tree.root()
    this.rootHolds = equal(computed, root)
    for (const message of this.#tileFailures)
      this.#findings.fail(
        'log',
        this.rootHolds ? `a tile is wrong, the leaves are those of the checkpoint: ${message}` : message,
      )
    if (!this.rootHolds)
      this.#findings.fail(
        'log',
        `the leaves give the root ${hex(computed)}, the checkpoint states ${hex(root)}`,
      )
    const last = this.epochs.at(-1)
    if (last?.size !== this.size)
      this.#findings.fail(
        'epochs',
        `${this.#leavesInEpoch} transactions follow the last epoch's end: no epoch seals them`,
      )
    for (const check of /** @type {const} */ (['log', 'journal', 'tags', 'epochs', 'totals']))
      this.#findings.done(check)
  }
}

/**
 * @param {number} expected
 * @param {number} found
 */
function epochsMissing(expected, found) {
  if (found < expected) return `it comes where epoch ${expected} should`
  return found === expected + 1
    ? `epoch ${expected} is missing`
    : `epochs ${expected} to ${found - 1} are missing`
}

/**
 * How many days are after one and before another; negative if that one is later.
 * @param {string} from
 * @param {string} to
 */
export function daysBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) - 1
}

/**
 * @param {string} day
 * @param {number} count
 */
function dayAfter(day, count) {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
}
