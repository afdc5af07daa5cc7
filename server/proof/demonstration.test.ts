import { execFile } from 'node:child_process'
import { createHmac, createPublicKey } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { systemClock } from '#server/platform/clock.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { testDatabase } from '#test/support/database.ts'
import { missingNode, type TestNode, testNodes } from '#tools/nodes.ts'
import { GO_LIBRARIES } from '#tools/proof-programs.ts'
import { inclusionRanges } from '#verifier/merkle.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseCheckpoint, parseNote, parseVerifierKey } from '#verifier/note.mjs'
import { proofFromTiles, tilePath } from '#verifier/tiles.mjs'
import { cosign, signerIn } from '#verifier/witness-key.mjs'
import { storeCosignature } from './cosignatures.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'
import { secretsOf } from './secrets.ts'

/** The demonstration's year as they are published, the newest checkpoint with a witness's line. */

let services: Services
let folder: string
let epochs: number | null
let cosignature: string
beforeAll(async () => {
  const database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'probity-proof-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const config = { ...loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }), dataDir: folder }
  const log = pino({ level: 'error' })
  services = { config, pool: database.app, db: database.db, clock: systemClock, log }
  await seedDemo(database.ownerUrl, services)
  await sealBooks(services)
  epochs = await writeLog(services)
  cosignature = await cosignNewest()
  await publishTo(services.pool, join(folder, 'proof'))
})

/** @returns the line that a witness has added */
async function cosignNewest(): Promise<string> {
  const now = services.clock.now()
  const witness = await signerIn(join(folder, 'witness'), 'witness.example/w1')
  const file = await proofFile(services.pool, 'checkpoint')
  const { text } = parseNote((await file!.read(0, file!.bytes)).toString())
  const line = cosign(witness, text, now)
  const { vkey } = witness
  const given = { epoch: BigInt(epochs!), kind: 'witness', vkey, line, cosignedAt: now } as const
  await storeCosignature(services.pool, given, now)
  return line
}

test("the demonstration's past has an epoch for each day", async () => {
  expect(epochs).toBeGreaterThan(365)
  expect(readdirSync(join(folder, 'proof/epochs'))).toHaveLength(epochs!)
  const { rows } = await services.pool.query(
    'SELECT count(*) AS left FROM ledger.transactions t WHERE NOT EXISTS (SELECT FROM ledger.log WHERE transaction_id = t.id)',
  )
  expect(rows[0].left).toBe(0n)
})

test('publishing again writes nothing, and what was published stays', async () => {
  const before = readFileSync(join(folder, 'proof/checkpoint'), 'utf8')
  expect(await publishTo(services.pool, join(folder, 'proof'))).toBe(0)
  expect(readFileSync(join(folder, 'proof/checkpoint'), 'utf8')).toBe(before)
})

const run = promisify(execFile)
const verifier = join(import.meta.dirname, '../../verifier')
const inFolder = (name: string) => join(folder, name)

test('a stranger who verifies it finds nothing wrong', async () => {
  const proof = inFolder('proof')
  const args = ['--json', '--state', inFolder('state'), '--journal', inFolder('journal')]
  const { stdout } = await run(process.execPath, [join(verifier, 'verify.mjs'), proof, ...args])
  const { holds, failures, missing, epochs: verified } = JSON.parse(stdout)
  expect({ holds, failures, missing, count: verified.count }).toEqual({
    holds: true,
    failures: [],
    missing: [],
    count: epochs,
  })
})

describe('programs of other authors accept it, and refuse it with one amount changed', () => {
  const journals: [TestNode, filter: string, args: (file: string) => string[], says: RegExp][] = [
    [
      testNodes.hledger,
      'to-ledger.awk',
      file => ['-f', file, 'check', 'balancednoautoconversion'],
      /balance assertion/,
    ],
    [testNodes.ledger, 'to-ledger.awk', file => ['-f', file, 'balance'], /Balance assertion off by/],
    [testNodes.beancount, 'to-beancount.awk', file => [file], /Balance failed for/],
  ]
  for (const [node, filter, args, says] of journals) {
    test.skipIf(missingNode(node))(node.name, async () => {
      const env = { ...process.env, LC_ALL: 'C.UTF-8' }
      const judge = async (journal: string) => {
        writeFileSync(inFolder('leaves'), journal)
        const { stdout } = await run('awk', ['-f', join(verifier, filter), inFolder('leaves')], {
          maxBuffer: 2 ** 30,
        })
        writeFileSync(inFolder('checked'), stdout)
        return await run(node.find()!, args(inFolder('checked')), { env, maxBuffer: 2 ** 30 }).then(
          () => 'accepted',
          error => `${error.stdout}${error.stderr}`,
        )
      }
      const journal = leavesOf(inFolder('proof')).join('')
      expect(await judge(journal)).toBe('accepted')
      const changed = journal.replace(/ {2}(\d+\.\d\d USD\n.*-)(\d+\.\d\d USD)/, '  9$19$2')
      expect(changed).not.toBe(journal)
      expect(await judge(changed)).toMatch(says)
    })
  }

  test.skipIf(missingNode(testNodes.go))("Go's sumdb, with a cosigned checkpoint", async () => {
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_LIBRARIES, GOCACHE: inFolder('go') }
    const source = join(import.meta.dirname, '../../test/support/sumdb/main.go')
    const judge = async (proof: string) =>
      await run(testNodes.go.find()!, ['run', source, proof], { env }).then(
        ({ stdout }) => stdout,
        error => error.stdout as string,
      )
    const count = leavesOf(inFolder('proof')).length
    const checkpoint = readFileSync(inFolder('proof/checkpoint'), 'utf8')
    expect(checkpoint).toContain(`\n${cosignature}\n`)
    expect(await judge(inFolder('proof'))).toBe(`${count} leaves, ${epochs} epochs\n`)
    cpSync(inFolder('proof'), inFolder('changed'), { recursive: true })
    const bundle = inFolder('changed/tile/entries/000')
    const bytes = readFileSync(bundle)
    bytes.write('9', bytes.indexOf(' USD') - 1)
    writeFileSync(bundle, bytes)
    expect(await judge(inFolder('changed'))).toMatch(/^leaf \d+ is not what was sealed\n$/)
    const { text } = parseNote(checkpoint)
    writeFileSync(inFolder('changed/checkpoint'), `${text}\n${cosignature}\n`)
    expect(await judge(inFolder('changed'))).toBe('note has no verifiable signatures\n')
  })

  test("sigstore's verifier, with a cosigned checkpoint", () => {
    const read = (path: string) => readFileSync(join(inFolder('proof'), path))
    const envelope = read('checkpoint').toString()
    const { size } = parseCheckpoint(parseNote(envelope).text)
    const key = parseVerifierKey(read('vkey').toString().trim(), nodeHashes)
    const leaves = leavesOf(inFolder('proof'))
    const index = Math.floor(size / 3)
    const hashes = proofFromTiles(nodeHashes, inclusionRanges(index, size), size, tile =>
      read(tilePath(tile)),
    )
    const authority = {
      logID: Buffer.from(key.keyId, 'hex'),
      baseURL: key.name,
      publicKey: createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKey).toString('base64url') },
        format: 'jwk',
      }),
    }
    const judge = (leaf: string, note = envelope) => {
      const inclusionProof = {
        checkpoint: { envelope: note },
        logIndex: String(index),
        hashes: hashes.map(hash => Buffer.from(hash)),
      }
      const entry = { inclusionProof, canonicalizedBody: Buffer.from(leaf) } as never
      verifyMerkleInclusion(entry, verifyCheckpoint(entry, [authority as never]))
    }
    expect(envelope).toContain(`\n${cosignature}\n`)
    const alone = envelope.replace(`${cosignature}\n`, '')
    for (const note of [envelope, alone]) judge(leaves[index]!, note)
    expect(() => judge(leaves[index]!, `${parseNote(envelope).text}\n${cosignature}\n`)).toThrow(
      'invalid checkpoint signature',
    )
    expect(() => judge(leaves[index + 1]!)).toThrow('calculated root hash does not match')
    expect(() => judge(leaves[index]!, envelope.replace(`\n${size}\n`, `\n${size + 1}\n`))).toThrow(
      'invalid checkpoint signature',
    )
  })
})

// Licensed under MPL 2.0 and not part of this repository: the variable names a copy of its validate_liabilities.py.
const bitmex = process.env.BITMEX_VALIDATOR ?? ''

test.skipIf(bitmex === '')(
  "BitMEX's validator finds each investor's balance (BITMEX_VALIDATOR)",
  async () => {
    const { rows } = await services.pool.query<{ owner: string; email: string; cents: string }>(
      'SELECT owner, email, (SELECT sum(a) FROM unnest(amounts) a)::text AS cents FROM ledger.epoch_parts WHERE epoch = $1 LIMIT 5',
      [epochs],
    )
    const client = await services.pool.connect()
    const secrets = await secretsOf(
      client,
      services.config,
      rows.map(({ owner }) => owner),
    ).finally(() => client.release())
    const leaves = join(inFolder('proof'), `epochs/${epochs}/leaves.bin`)
    const { stdout: csv } = await run(process.execPath, [
      join(verifier, 'to-bitmex.mjs'),
      leaves,
      `${epochs}`,
    ])
    writeFileSync(inFolder('bitmex'), csv)
    expect(rows).toHaveLength(5)
    for (const { owner, email, cents } of rows) {
      const { number, secret } = secrets.get(owner)!
      const nonce = createHmac('sha256', secret!).update(`probity-pol-id/v1\n${email}\n`).digest('hex')
      const args = ['--proof', inFolder('bitmex'), '--account', `${number}`, '--account_nonce', nonce]
      const { stdout } = await run('python3', [bitmex, ...args])
      expect(stdout).toContain(
        `Validated ${Number(cents).toLocaleString('en-US')} sats for account ${number}`,
      )
    }
  },
)

/** Each leaf after its length, u16be. */
function leavesOf(proof: string): string[] {
  const size = parseCheckpoint(parseNote(readFileSync(join(proof, 'checkpoint'), 'utf8')).text).size
  return Array.from({ length: Math.ceil(size / 256) }, (_, n) => {
    const width = Math.min(256, size - n * 256)
    return readFileSync(join(proof, tilePath({ level: 'entries', n, width })))
  }).flatMap(bundle => {
    const leaves = []
    for (let at = 0; at < bundle.length; ) {
      const end = at + 2 + bundle.readUInt16BE(at)
      leaves.push(bundle.toString('utf8', at + 2, end))
      at = end
    }
    return leaves
  })
}
