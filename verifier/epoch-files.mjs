// @ts-check
import { equal, hex, textOf } from './bytes.mjs'
import { Invalid, TooLarge, Unavailable } from './errors.mjs'
import { NODE_BYTES, nodeFiles, recomputeTree } from './liabilities.mjs'
import { headInWords, openCheckpoint, sameHead } from './note.mjs'
import { checkAssets, checkReserves } from './reserves.mjs'
import { checkStamp } from './stamps.mjs'

/** The files of each epoch, which the log seals: its checkpoint with its stamps, its tree of liabilities, its documents. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./findings.mjs').Findings} Findings */
/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./read-log.mjs').SealedEpoch} SealedEpoch */
/** @typedef {import('./reserves.mjs').Reserves} Reserves */
/** @typedef {import('./reserves.mjs').Asset} Asset */

const MOST_NOTE_BYTES = 100_000
/** A line of evidence has 65 bytes, one of reserves some hundred. */
const MOST_DOCUMENT_BYTES = 16_000_000
/** A larger tree (671 MB) is not read. */
const MOST_TREE_LEAVES = 2 ** 24

/**
 * @typedef {object} Given
 * @property {Source} source
 * @property {Hashes} hashes
 * @property {import('./log-keys.mjs').LogKeys} keys
 * @property {Findings} findings
 * @property {Map<number, string[]>} stamps the names of each epoch's
 * @property {import('node:crypto').X509Certificate[] | null} authorities whose stamps are accepted; null: any
 * @property {readonly SealedEpoch[]} epochs of the log
 * @property {Assets} assets what the files state is added to them
 */
/** @typedef {{ reserves: Map<number, Reserves>, stated: Map<number, Asset[]> }} Assets by epoch */

/**
 * @param {Given} given
 * @param {SealedEpoch} epoch
 * @returns {Promise<import('./stamps.mjs').Dated[]>} its stamps that hold
 */
export async function checkEpochFiles(given, epoch) {
  const { findings } = given
  const subject = `epoch ${epoch.epoch}`
  const checkpoint = await findings.attempt('checkpoints', subject, () => checkCheckpoint(given, epoch))
  await findings.attempt('liabilities', subject, () => checkTree(given, epoch))
  await findings.attempt('reserves', subject, () => readReserves(given, epoch))
  await findings.attempt('reserves', subject, () => readAssets(given, epoch))
  await findings.attempt('documents', subject, async () => {
    const listing = await checkDocument(given, epoch, 'evidence.txt', epoch.evidence)
    if (listing !== null) requireHashes(textOf(listing))
  })
  if (checkpoint === undefined) return []
  const dated = []
  for (const name of given.stamps.get(epoch.epoch) ?? [])
    dated.push(
      await findings.attempt('stamps', `${subject}, stamp of ${name}`, () =>
        checkStamp(given, epoch, checkpoint, name),
      ),
    )
  return dated.filter(stamp => stamp !== undefined)
}

/**
 * @param {Given} given
 * @param {SealedEpoch} epoch
 */
async function checkCheckpoint({ source, hashes, keys }, epoch) {
  const note = textOf(await required(source, epoch, 'checkpoint', MOST_NOTE_BYTES))
  const checkpoint = openCheckpoint(note, keys.of(epoch.epoch), hashes)
  if (!sameHead(checkpoint, epoch))
    throw new Invalid(
      `its checkpoint states ${headInWords(checkpoint)}, the log then had ${headInWords(epoch)}`,
    )
  return checkpoint
}

/**
 * @param {{ source: Source, hashes: Hashes }} given
 * @param {SealedEpoch} epoch
 */
async function checkTree({ source, hashes }, epoch) {
  if (epoch.liabilities === null) return
  const { leaves: count } = epoch.liabilities
  if (count > MOST_TREE_LEAVES)
    throw new Unavailable(
      `this verifier reads no tree of more than ${MOST_TREE_LEAVES} leaves, it has ${count}`,
    )
  const leaves = await nodesIn(source, epoch, 'leaves.bin', count)
  const rows = recomputeTree(hashes, leaves, epoch.liabilities)
  for (const { file, nodes } of nodeFiles(count)) {
    const published = await nodesIn(source, epoch, `nodes/${file}`, nodes)
    const computed = rows.get(file)
    if (computed === undefined || !equal(computed, published))
      throw new Invalid(`nodes/${file} is not what leaves.bin gives`)
  }
}

/**
 * A file of the tree, of as many nodes as the log states.
 * @param {Source} source
 * @param {SealedEpoch} epoch
 * @param {string} name
 * @param {number} nodes
 */
async function nodesIn(source, epoch, name, nodes) {
  try {
    return await required(source, epoch, name, nodes * NODE_BYTES)
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    throw new Invalid(`${name} has more than the ${nodes * NODE_BYTES} bytes that the log states`)
  }
}

/**
 * @param {Given} given
 * @param {SealedEpoch} epoch
 */
async function readReserves(given, epoch) {
  const reserves = await checkDocument(given, epoch, 'reserves.csv', epoch.reserves)
  const prices = await checkDocument(given, epoch, 'reserves-prices.csv', epoch.prices)
  if (reserves === null && prices === null) return
  if (reserves === null || prices === null)
    throw new Invalid('it has reserves without prices, or prices alone')
  const { hashes, keys, epochs, assets } = given
  const log = { origin: keys.newest.name, epoch: epoch.epoch, heads: epochs }
  assets.reserves.set(epoch.epoch, checkReserves(hashes, { reserves, prices }, log))
}

/**
 * @param {Given} given
 * @param {SealedEpoch} epoch
 */
async function readAssets(given, epoch) {
  const assets = await checkDocument(given, epoch, 'assets.csv', epoch.assets)
  if (assets !== null) given.assets.stated.set(epoch.epoch, checkAssets(assets))
}

/**
 * @param {{ source: Source, hashes: Hashes }} given
 * @param {SealedEpoch} epoch
 * @param {string} name
 * @param {string | null} sealed its SHA-256 in hex
 */
async function checkDocument({ source, hashes }, epoch, name, sealed) {
  if (sealed === null) return null
  const document = await required(source, epoch, name, MOST_DOCUMENT_BYTES)
  const found = hex(hashes.sha256(document))
  if (found !== sealed)
    throw new Invalid(`${name} has been changed: its SHA-256 is ${found}, the log sealed ${sealed}`)
  return document
}

/** @param {string} listing */
function requireHashes(listing) {
  const lines = listing.split('\n')
  if (lines.pop() !== '' || lines.length === 0 || !lines.every(line => /^[0-9a-f]{64}$/.test(line)))
    throw new Invalid('evidence.txt is not a list of SHA-256 in hexadecimal')
  if (lines.some((line, at) => at > 0 && line <= (lines[at - 1] ?? '')))
    throw new Invalid('evidence.txt is not in order, or names a document twice')
}

/**
 * @param {Source} source
 * @param {SealedEpoch} epoch
 * @param {string} name
 * @param {number} mostBytes
 */
async function required(source, epoch, name, mostBytes) {
  const bytes = await source.read(`epochs/${epoch.epoch}/${name}`, mostBytes)
  if (bytes === null) throw new Unavailable(`epochs/${epoch.epoch}/${name} is missing`)
  return bytes
}
