import type { Pool } from 'pg'
import { keyStatements, type ProofKeyPurpose, publicProofKey } from './keys.ts'
import { levelsOf, TILE_WIDTH } from './log.ts'
import { vkeyOf } from './note.ts'
import { stampList, stampOf } from './stamps.ts'
import { verifierPackage } from './verifier-package.ts'

/** A published file. Few ever change (docs/proof-format.md, Files). */
export type ProofFile = {
  kind: 'text' | 'bytes'
  immutable: boolean
  bytes: number
  /** @param from of the first byte @param to after the last */
  read(from: number, to: number): Promise<Buffer>
}

const YEAR_SECONDS = 31_536_000

/** The headers with which a file is served, by us and by a bucket. */
export function headersOf({ kind, immutable }: Pick<ProofFile, 'kind' | 'immutable'>) {
  return {
    'cache-control': immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    'content-type': kind === 'text' ? 'text/plain; charset=utf-8' : 'application/octet-stream',
  }
}

/** The files of an epoch by their names in `ledger.epoch_files`. */
const epochFile =
  /^epochs\/([1-9]\d{0,14})\/(checkpoint|leaves\.bin|nodes\/[1-9]|reserves\.csv|reserves-prices\.csv|assets\.csv|evidence\.txt)$/
const stampFile = /^epochs\/([1-9]\d{0,14})\/stamps\/([a-z0-9][a-z0-9.-]{0,62})\.tsr$/
const tileFile = /^tile\/(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The published file of a path below /proof/ (docs/proof-format.md), or undefined. */
export async function proofFile(pool: Pool, path: string): Promise<ProofFile | undefined> {
  if (path === 'vkey') return await vkeyFile(pool, 'log')
  if (path === 'receipts-vkey') return await vkeyFile(pool, 'receipts')
  if (path === 'keys') return await keysFile(pool)
  if (path === 'checkpoint') return await newestCheckpoint(pool)
  if (path === 'policy') return await policyFile(pool)
  if (path === 'stamps') return await listOfStamps(pool)
  if (path === 'verifier.tgz') return { ...bytesFile(await verifierPackage()), immutable: false }
  const [, stamped, authority] = stampFile.exec(path) ?? []
  if (stamped !== undefined && authority !== undefined) {
    const stamp = await stampOf(pool, stamped, authority)
    return stamp && bytesFile(stamp)
  }
  const [, epoch, name] = epochFile.exec(path) ?? []
  if (epoch !== undefined && name !== undefined) return await fileOfEpoch(pool, epoch, name)
  const [, kind, place, width] = tileFile.exec(path) ?? []
  if (kind === undefined || place === undefined) return undefined
  const tile = { kind, index: indexOf(place), width: width === undefined ? TILE_WIDTH : Number(width) }
  // One address for one file.
  if (!Number.isSafeInteger(tile.index) || tilePath(tile) !== path) return undefined
  return await tileOf(pool, tile)
}

/** Width 256 is a full tile; kind is a level, or `entries`. */
export type Tile = { kind: string; index: number; width: number }

/** Its path (C2SP tlog-tiles): 1234067 is x001/x234/067. */
export function tilePath({ kind, index, width }: Tile): string {
  const groups = index
    .toString()
    .padStart(Math.ceil(index.toString().length / 3) * 3, '0')
    .match(/\d{3}/g)!
  const last = groups.pop()!
  const partial = width === TILE_WIDTH ? '' : `.p/${width}`
  return `tile/${kind}/${groups.map(group => `x${group}/`).join('')}${last}${partial}`
}

function indexOf(place: string): number {
  return Number(place.replaceAll(/[x/]/g, ''))
}

/** The tiles of a log of this size that one of an earlier size does not have: full ones, and partial ones at its end. */
export function* tilesOf(size: number, earlier = 0): Generator<Tile> {
  for (let level = 0; level < levelsOf(size); level++) {
    const count = Math.floor(size / TILE_WIDTH ** level)
    for (let index = Math.floor(earlier / TILE_WIDTH ** (level + 1)); index * TILE_WIDTH < count; index++) {
      const width = Math.min(TILE_WIDTH, count - index * TILE_WIDTH)
      yield { kind: level.toString(), index, width }
      if (level === 0) yield { kind: 'entries', index, width }
    }
  }
}

async function vkeyFile(pool: Pool, purpose: ProofKeyPurpose): Promise<ProofFile | undefined> {
  const key = await publicProofKey(pool, purpose)
  return key && textFile(`${vkeyOf(key)}\n`, false)
}

async function keysFile(pool: Pool): Promise<ProofFile | undefined> {
  const statements = await keyStatements(pool)
  return statements === '' ? undefined : textFile(statements, false)
}

async function policyFile(pool: Pool): Promise<ProofFile | undefined> {
  const { rows } = await pool.query<{ policy: string }>('SELECT policy FROM app.witness_policy')
  return rows[0] && textFile(rows[0].policy, false)
}

async function newestCheckpoint(pool: Pool): Promise<ProofFile | undefined> {
  const { rows } = await pool.query<{ checkpoint: string }>(
    `SELECT ledger.published_checkpoint(number) AS checkpoint
       FROM (SELECT number FROM ledger.epochs ORDER BY number DESC LIMIT 1) newest`,
  )
  return rows[0] && textFile(rows[0].checkpoint, false)
}

async function listOfStamps(pool: Pool): Promise<ProofFile | undefined> {
  const list = await stampList(pool)
  return list === undefined ? undefined : textFile(list, false)
}

async function fileOfEpoch(pool: Pool, epoch: string, name: string): Promise<ProofFile | undefined> {
  if (name === 'checkpoint') {
    const { rows } = await pool.query<{ checkpoint: string | null }>(
      'SELECT ledger.published_checkpoint($1) AS checkpoint',
      [epoch],
    )
    const checkpoint = rows[0]?.checkpoint
    return typeof checkpoint === 'string' ? textFile(checkpoint, false) : undefined
  }
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT octet_length(content) AS bytes FROM ledger.epoch_files WHERE epoch = $1 AND name = $2',
    [epoch, name],
  )
  if (rows[0] === undefined) return undefined
  return {
    kind: name.endsWith('.csv') || name.endsWith('.txt') ? 'text' : 'bytes',
    immutable: true,
    bytes: rows[0].bytes,
    read: async (from, to) => {
      const { rows: parts } = await pool.query<{ part: Buffer }>(
        'SELECT substr(content, $3, $4) AS part FROM ledger.epoch_files WHERE epoch = $1 AND name = $2',
        [epoch, name, from + 1, to - from],
      )
      return parts[0]!.part
    },
  }
}

/** Of the published log only: leaves of the open epoch are nobody's yet. */
async function tileOf(pool: Pool, { kind, index, width }: Tile): Promise<ProofFile | undefined> {
  const level = kind === 'entries' ? 0 : Number(kind)
  const from = index * TILE_WIDTH
  const { rows } = await pool.query<{ size: bigint }>(
    'SELECT size FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  const published = Math.floor(Number(rows[0]?.size ?? 0n) / TILE_WIDTH ** level)
  if (from + width > published) return undefined
  const content =
    kind === 'entries'
      ? entriesBetween(pool, from, from + width)
      : hashesBetween(pool, level, from, from + width)
  return bytesFile(await content)
}

async function hashesBetween(pool: Pool, level: number, from: number, to: number): Promise<Buffer> {
  const { rows } = await pool.query<{ hashes: Buffer }>('SELECT ledger.log_hashes($1, $2, $3) AS hashes', [
    level,
    from,
    to,
  ])
  return rows[0]!.hashes
}

/** Each leaf after its length, u16be. */
async function entriesBetween(pool: Pool, from: number, to: number): Promise<Buffer> {
  const { rows } = await pool.query<{ leaf: Buffer }>(
    'SELECT leaf FROM ledger.log WHERE index >= $1 AND index < $2 ORDER BY index',
    [from, to],
  )
  return Buffer.concat(
    rows.flatMap(({ leaf }) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(leaf.length)
      return [length, leaf]
    }),
  )
}

function textFile(text: string, immutable: boolean): ProofFile {
  return { ...bytesFile(Buffer.from(text)), kind: 'text', immutable }
}

function bytesFile(content: Buffer): ProofFile {
  return {
    kind: 'bytes',
    immutable: true,
    bytes: content.length,
    read: async (from, to) => content.subarray(from, to),
  }
}
