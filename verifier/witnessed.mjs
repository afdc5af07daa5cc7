// @ts-check
import { textOf } from './bytes.mjs'
import { Invalid, messageOf, Unavailable } from './errors.mjs'
import { consistencyRanges, verifyConsistency } from './merkle.mjs'
import { headInWords, sameHead } from './note.mjs'
import { publishedTile } from './read-log.mjs'
import { proofFromTiles, tilePath, tilesOf } from './tiles.mjs'

/** What the witnesses of a policy hold of a log, compared with what is published here. */

/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./policy.mjs').Witness} Witness */
/** @typedef {(witness: Witness, origin: string) => Promise<Uint8Array>} Ask the newest checkpoint that a witness holds */
/** @typedef {{ name: string, keyId: string, checkpoint: Checkpoint | null, problem: string | null }} Held `problem`: why there is none */
/** @typedef {{ name: string, size: number | null, state: 'same' | 'other' | 'unknown', problem: string | null }} Compared */

const ANSWER_MS = 10_000
const MOST_ANSWER_BYTES = 65_536

/**
 * Over the network, as the witness in this folder answers.
 * @type {Ask}
 */
export async function askWitness({ url }, origin) {
  if (url === null || !/^https?:\/\//.test(url)) throw new Unavailable('your policy has no address of it')
  const answer = await fetch(
    `${url.replace(/#.*$/, '').replace(/\/+$/, '')}/${encodeURIComponent(origin)}/checkpoint`,
    {
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    },
  )
  if (!answer.ok) {
    await answer.body?.cancel()
    throw new Unavailable(`it answered ${answer.status}`)
  }
  const parts = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > MOST_ANSWER_BYTES)
      throw new Unavailable(`its answer has more than ${MOST_ANSWER_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/**
 * @param {Iterable<Witness>} witnesses
 * @param {Ask} ask
 * @param {import('./log-keys.mjs').LogKeys} keys only what they have signed speaks against the firm
 * @param {import('./bytes.mjs').Hashes} hashes
 * @returns {Promise<Held[]>}
 */
export async function heldByWitnesses(witnesses, ask, keys, hashes) {
  return await Promise.all(
    [...witnesses].map(async witness => {
      const { name, keyId } = witness
      try {
        const note = textOf(await ask(witness, keys.newest.name))
        return { name, keyId, checkpoint: keys.open(note, hashes), problem: null }
      } catch (error) {
        return { name, keyId, checkpoint: null, problem: messageOf(error) }
      }
    }),
  )
}

/**
 * @param {import('./audit.mjs').Given} given
 * @param {import('./audit.mjs').Audit} audit
 * @param {Held} held
 * @returns {Promise<Compared>}
 */
export async function compareHeld(given, { checkpoint, log }, { name, checkpoint: theirs, problem }) {
  const unknown = (/** @type {string | null} */ why) =>
    /** @type {Compared} */ ({ name, size: theirs?.size ?? null, state: 'unknown', problem: why })
  if (theirs === null || checkpoint === null) return unknown(problem)
  const compared = (/** @type {boolean} */ isSame) =>
    /** @type {Compared} */ ({ name, size: theirs.size, state: isSame ? 'same' : 'other', problem: null })
  if (theirs.size === checkpoint.size) return compared(sameHead(theirs, checkpoint))
  if (theirs.size > checkpoint.size) {
    const isContinued = await continues(given, checkpoint, theirs)
    return isContinued === null
      ? unknown(`it has cosigned ${headInWords(theirs)}, and the log that is published here ends before`)
      : compared(isContinued)
  }
  const root = log?.rootHolds ? log.roots.get(theirs.size) : undefined
  return root === undefined
    ? unknown('the log could not be read up to what it has cosigned')
    : compared(sameHead(theirs, { size: theirs.size, root }))
}

/**
 * @param {import('./audit.mjs').Given} given
 * @param {Checkpoint} now
 * @param {Checkpoint} later which a witness holds
 * @returns {Promise<boolean | null>} null if the tiles of the later one are not published here
 */
async function continues({ source, hashes }, now, later) {
  const ranges = consistencyRanges(now.size, later.size)
  /** @type {Map<string, Uint8Array>} */
  const tiles = new Map()
  for (const tile of tilesOf(ranges, later.size)) {
    const bytes = await publishedTile(source, tile).catch(() => null)
    if (bytes === null) return null
    tiles.set(tilePath(tile), bytes)
  }
  try {
    const path = proofFromTiles(
      hashes,
      ranges,
      later.size,
      tile => tiles.get(tilePath(tile)) ?? new Uint8Array(),
    )
    verifyConsistency(hashes, now, later, path)
    return true
  } catch (error) {
    if (error instanceof Invalid) return false
    throw error
  }
}
