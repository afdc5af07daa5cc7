// @ts-check
import { base64, equal, fromBase64, fromDecimal, textOf } from './bytes.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { parseNote, parseVerifierKey } from './note.mjs'
import { contradicted, late, missing, openReceipt, receiptInWords, receiptTag } from './receipts.mjs'

/** What the firm gave to single people: signed receipts, and the log's size and root in emails and statements. */

/** @typedef {import('./audit.mjs').Audit} Audit */
/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {{ name: string, size: number, root: Uint8Array }} SeenHead `name`: where it was seen, for people */
/** @typedef {{ key: VerifierKey, until: string | null }} SealedKey `until`: the day of the first epoch that seals another */
/** @typedef {{ name: string, note: string }} GivenReceipt */
/** @typedef {{ name: string, words: string, state: 'sealed' | 'not due' | 'signed' }} KnownReceipt */

const MOST_KEY_BYTES = 10_000
const DAY_MS = 86_400_000

/**
 * `<size>:<root>`, as emails and statements print them.
 * @param {string} text
 * @returns {SeenHead}
 * @throws {Invalid}
 */
export function parseSeen(text) {
  const [, size = '', root = ''] = /^(\d+):(\S+)$/.exec(text.replaceAll(',', '')) ?? []
  if (root === '') throw new Invalid(`"${text}" is not <size>:<root>`)
  const bytes = fromBase64(root)
  if (bytes.length !== 32) throw new Invalid(`the root in "${text}" is not 32 bytes long`)
  return { name: text, size: fromDecimal(size), root: bytes }
}

/**
 * Checks that the published log continues every size and root that somebody was shown.
 * @param {Audit} audit
 * @param {SeenHead[]} seen
 */
export function checkSeen({ findings, log, checkpoint }, seen) {
  if (seen.length === 0 || checkpoint === null) return
  for (const { name, size, root } of seen) {
    const known =
      size === checkpoint.size ? checkpoint.root : log?.rootHolds ? log.roots.get(size) : undefined
    if (size > checkpoint.size)
      findings.fail(
        'seen',
        `you were shown ${size} leaves (${name}), the published log has ${checkpoint.size}: it hides what it showed before, or shows you another log`,
      )
    else if (known === undefined)
      findings.miss('seen', `${name} could not be compared without the log's leaves`)
    else if (!equal(known, root))
      findings.fail(
        'seen',
        `you were shown a different history (${name}): the published log's first ${size} leaves have the root ${base64(known)}`,
      )
  }
  findings.done('seen')
}

/**
 * Checks that the key of receipts is sealed, and every receipt given: its signature and, with the investor's secret, its
 * line in the log.
 * @param {{ source: import('./source.mjs').Source, hashes: Hashes, receipts: GivenReceipt[], secret: Uint8Array | null }} given
 * @param {Audit} audit
 */
export async function checkReceipts({ source, hashes, receipts, secret }, audit) {
  const { findings, log, key } = audit
  const keys = await sealedKeys({ source, hashes }, audit)
  if (keys.length === 0 && receipts.length === 0) return
  for (const { name, note } of receipts) {
    const open = () => {
      if (keys.length === 0 || log === null) throw new Unavailable('no epoch seals a key of receipts')
      const { key: signer, until } = signerOf(note, keys)
      const receipt = openReceipt(note, signer, hashes)
      if (receipt.log !== key.name) throw new Invalid(`the receipt is of the log "${receipt.log}"`)
      return { log, receipt, until }
    }
    const opened = await findings.attempt('receipts', name, open, 'receipt')
    if (opened === undefined) continue
    const { receipt, until } = opened
    const look = () => (secret === null ? 'signed' : stateIn(opened.log, { receipt, secret, hashes }))
    const state = await findings.attempt('receipts', name, look, 'promise')
    if (state === undefined) continue
    const finish = () => {
      // A line that is there was promised rightly, whenever its epoch ended.
      if (state !== 'sealed') requireInTime(receipt, until)
      audit.receipts.push({ name, words: receiptInWords(receipt), state })
    }
    await findings.attempt('receipts', name, finish, 'receipt')
  }
  findings.done('receipts')
}

/**
 * Looks for a receipt's line up to the epoch in which it is due.
 * @param {import('./read-log.mjs').LogReader} log
 * @param {{ receipt: import('./receipts.mjs').Receipt, secret: Uint8Array, hashes: Hashes }} of
 * @returns {'sealed' | 'not due'}
 * @throws {Invalid} if it is missing, late, or of another event
 */
function stateIn(log, { receipt, secret, hashes }) {
  const due = log.epochs.findIndex(({ date }) => date >= receipt.sealedBy)
  for (const [place, { epoch, date }] of log.epochs.entries()) {
    const line = log.lineWith(receiptTag(hashes, secret, receipt, epoch))
    if (line?.place !== place) continue
    if (line.event !== receipt.event) throw contradicted(receipt, `epoch ${epoch}`, line.event)
    if (due !== -1 && place > due) throw late(receipt, `in epoch ${epoch}, of ${date}`)
    return 'sealed'
  }
  const isDueOpen =
    due !== -1 && (log.epochs[due]?.epoch ?? 0) < (log.closedSince ?? Number.POSITIVE_INFINITY)
  if (log.closed > 0 && !isDueOpen)
    throw new Unavailable(
      'its line may be in a closed leaf, which only the opening or the saved proof of its investor shows',
    )
  if (due !== -1) throw missing(receipt, log.epochs.at(-1)?.date ?? '')
  return 'not due'
}

/**
 * The keys of receipts that the epochs seal; the published one must be the newest.
 * @param {{ source: import('./source.mjs').Source, hashes: Hashes }} given
 * @param {Audit} audit
 * @returns {Promise<SealedKey[]>}
 */
async function sealedKeys({ source, hashes }, { findings, log, key }) {
  if (log === null || !log.rootHolds) return []
  /** @type {Map<string, SealedKey>} */
  const keys = new Map()
  let before = ''
  for (const { epoch, date, receipts } of log.epochs) {
    if (receipts === null || receipts === before) continue
    const replaced = keys.get(before)
    if (replaced !== undefined) replaced.until = date
    before = receipts
    if (keys.has(receipts)) {
      findings.fail('receipts', `epoch ${epoch} seals a key of receipts again that was replaced`)
      continue
    }
    if (keys.size > 0)
      findings.remarks.push(`Receipts have another key since epoch ${epoch}. Those signed before stay valid.`)
    await findings.attempt('receipts', `epoch ${epoch}`, () => {
      const parsed = parseVerifierKey(receipts, hashes)
      if (parsed.name !== `${key.name}/receipts`)
        throw new Invalid(`the key of receipts is named ${parsed.name}, not ${key.name}/receipts`)
      if (equal(parsed.publicKey, key.publicKey))
        throw new Invalid("receipts are signed with the log's own key")
      keys.set(receipts, { key: parsed, until: null })
    })
  }
  const newest = log.epochs.at(-1)?.receipts ?? null
  const bytes = await source.read('receipts-vkey', MOST_KEY_BYTES)
  if (bytes === null && newest !== null) findings.miss('receipts', 'receipts-vkey is missing')
  await findings.attempt('receipts', 'receipts-vkey', () => {
    const published = bytes === null ? newest : textOf(bytes).trim()
    if (published !== newest)
      throw new Invalid(`it publishes ${published}, the newest epoch seals ${newest ?? 'no key of receipts'}`)
  })
  return [...keys.values()]
}

/**
 * The key that signed a note, or the newest one, which then says that it has not.
 * @param {string} note
 * @param {SealedKey[]} keys
 */
function signerOf(note, keys) {
  const { signatures } = parseNote(note)
  const newest = /** @type {SealedKey} */ (keys.at(-1))
  return keys.find(({ key }) => signatures.some(({ keyId }) => keyId === key.keyId)) ?? newest
}

/**
 * An epoch may end in the first minutes of the next day, so the old key signs that day's first receipts.
 * @param {import('./receipts.mjs').Receipt} receipt
 * @param {string | null} until
 * @throws {Invalid} if its key was replaced before its day
 */
function requireInTime({ date }, until) {
  if (until !== null && Date.parse(date) - Date.parse(until) > DAY_MS)
    throw new Invalid(
      `the receipt is of ${date}, but the key that signed it was replaced on ${until}: a thief of the old key may have made it`,
    )
}

/**
 * A note as it came by email or from a clipboard: with other line ends, or text around it.
 * @param {string} text
 */
export function tidied(text) {
  const lines = text
    .replaceAll('\r', '')
    .split('\n')
    .map(line => line.trim())
  const from = lines.indexOf('probity-receipt/v1')
  const to = lines.findIndex((line, at) => at > from && line.startsWith('— '))
  return from === -1 || to === -1 ? text : `${lines.slice(from, to + 1).join('\n')}\n`
}
