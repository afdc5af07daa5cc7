// @ts-check
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, TooLarge, Unavailable } from './errors.mjs'

/** Where the published files are: a web address or a folder. */

/**
 * @typedef {object} Source
 * @property {string} place for people
 * @property {(path: string, mostBytes: number) => Promise<Uint8Array | null>} read null if there is no such file
 */

const ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
const IDLE_MS = 30_000
/** What an unfinished run has kept is read again after it. */
const KEPT_MS = 24 * 3_600_000

/**
 * @param {string} place a web address or a folder
 * @returns {Promise<Source>}
 * @throws {Unavailable} if the folder does not exist
 */
export async function openSource(place) {
  if (isWebsite(place)) return website(place.replace(/\/+$/, ''))
  const found = await stat(place).catch(() => null)
  if (!found?.isDirectory()) throw new Unavailable(`there is no folder ${place}`)
  return folder(place)
}

/** @param {string} place */
export function isWebsite(place) {
  return /^https?:\/\//.test(place)
}

/**
 * @param {string} place
 * @returns {Source}
 */
function folder(place) {
  return {
    place,
    read: async (path, mostBytes) => {
      try {
        const file = join(place, path)
        if ((await stat(file)).size > mostBytes)
          throw new TooLarge(`${path} has more than ${mostBytes} bytes`)
        return await readFile(file)
      } catch (error) {
        if (error instanceof Unavailable) throw error
        if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return null
        throw new Unavailable(`${path} could not be read: ${messageOf(error)}`)
      }
    },
  }
}

/**
 * @param {string} place
 * @returns {Source}
 */
function website(place) {
  return {
    place,
    read: async (path, mostBytes) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await download(`${place}/${path}`, mostBytes)
        } catch (error) {
          if (error instanceof TooLarge) throw new TooLarge(`${place}/${path} ${error.message}`)
          if (error instanceof Unavailable || attempt === ATTEMPTS)
            throw new Unavailable(`${place}/${path} could not be downloaded: ${messageOf(error)}`)
          await new Promise(resolve => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
        }
      }
    },
  }
}

/**
 * Follows no redirect: it could lead the visitor's machine to an address inside its own network.
 * @param {string} address
 * @param {number} mostBytes
 * @throws Error if it is worth another attempt
 */
async function download(address, mostBytes) {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(new Error('it stopped sending')), IDLE_MS)
  try {
    const answer = await fetch(address, { signal: idle.signal, redirect: 'manual' })
    if (answer.status === 404 || answer.status === 410) {
      await answer.body?.cancel()
      return null
    }
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel()
      const to = answer.headers.get('location') ?? 'an address that it does not name'
      throw new Unavailable(`it redirects to ${to}, and this verifier follows no redirects`)
    }
    if (answer.status === 429 || answer.status >= 500) throw new Error(`it answered ${answer.status}`)
    if (!answer.ok) throw new Unavailable(`it answered ${answer.status}`)
    const parts = []
    let bytes = 0
    for await (const part of answer.body ?? []) {
      timer.refresh()
      bytes += part.length
      if (bytes > mostBytes) throw new TooLarge(`has more than ${mostBytes} bytes`)
      parts.push(part)
    }
    return Buffer.concat(parts)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Keeps what never changes in a folder, so that a run continues where an earlier one was interrupted.
 * @param {Source} source
 * @param {string} kept
 * @returns {Source & { hasUsedKept: () => boolean }} true once it has read a file that an earlier run kept
 */
export function keptIn(source, kept) {
  /** @type {Set<string>} */
  const own = new Set()
  let hasUsed = false
  return {
    place: source.place,
    hasUsedKept: () => hasUsed,
    read: async (path, mostBytes) => {
      if (!isImmutable(path)) return await source.read(path, mostBytes)
      const file = join(kept, path)
      const known = await readKept(file).catch(() => null)
      if (known !== null) {
        hasUsed ||= !own.has(path)
        return known
      }
      const bytes = await source.read(path, mostBytes)
      if (bytes === null) return null
      await writeWhole(file, bytes)
      own.add(path)
      return bytes
    },
  }
}

/** @param {string} file */
async function readKept(file) {
  const { mtimeMs } = await stat(file)
  return Date.now() - mtimeMs < KEPT_MS ? await readFile(file) : null
}

/** @param {string} path */
function isImmutable(path) {
  // A checkpoint gains cosignatures.
  if (path.startsWith('epochs/')) return !path.endsWith('/checkpoint')
  return path.startsWith('tile/') && !path.includes('.p/')
}

/**
 * Writes a file that is there as a whole or not at all.
 * @param {string} file
 * @param {Uint8Array | string} content
 */
export async function writeWhole(file, content) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}.unfinished`
  await writeFile(unfinished, content)
  await rename(unfinished, file)
}

/**
 * Reads ahead, and yields in the order asked for.
 * @template Item, Read
 * @param {Iterable<Item>} items
 * @param {(item: Item) => Promise<Read>} read
 * @param {number} ahead
 * @returns {AsyncGenerator<Read>}
 */
export async function* readAhead(items, read, ahead) {
  /** @type {Promise<Read>[]} */
  const pending = []
  const start = (/** @type {Item} */ item) => {
    const started = read(item)
    // Its error is thrown when its turn comes.
    started.catch(() => {})
    pending.push(started)
  }
  for (const item of items) {
    start(item)
    if (pending.length < ahead) continue
    const first = pending.shift()
    if (first !== undefined) yield await first
  }
  for (const left of pending) yield await left
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {{ code?: string }} */ (error).code ?? ''
}
