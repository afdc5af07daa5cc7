import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { publishToBucket } from './bucket.ts'
import { writeLog } from './epochs.ts'
import { publishTo } from './folder.ts'

type Stored = { body: Buffer; type: string | undefined; cache: string | undefined }

/** A store that takes what is signed as the S3 API says (path-style addresses). */
class Store {
  readonly objects = new Map<string, Stored>()
  /** In order. */
  readonly written: string[] = []
  status = 0

  async listen(): Promise<string> {
    const server = createServer(async (request, response) => {
      const parts = []
      for await (const part of request) parts.push(part)
      const body = Buffer.concat(parts)
      const path = request.url!
      if (this.status > 0) return response.writeHead(this.status).end()
      if (!isSigned(request, body)) return response.writeHead(403).end()
      if (request.method === 'PUT') {
        this.objects.set(path, {
          body,
          type: request.headers['content-type'],
          cache: request.headers['cache-control'],
        })
        this.written.push(path.replace('/bucket/proof/', ''))
        return response.end()
      }
      const found = this.objects.get(path)?.body
      if (found === undefined) return response.writeHead(404).end()
      return response
        .writeHead(200, { 'content-length': found.length })
        .end(request.method === 'GET' ? found : undefined)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    atEnd(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/proof`
  }

  set(path: string, body: string | Buffer): void {
    this.objects.set(`/bucket/proof/${path}`, { body: Buffer.from(body), type: undefined, cache: undefined })
  }
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** AWS Signature Version 4, written from its description. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const said =
    /^AWS4-HMAC-SHA256 Credential=the-id\/(\d{8})\/eu-test-1\/s3\/aws4_request,SignedHeaders=(\S+),Signature=(\w+)$/
  const [, day, names = '', signature] = said.exec(headers.authorization ?? '') ?? []
  if (headers['x-amz-content-sha256'] !== sha256(body) || !names.split(';').includes('host')) return false
  const lines = names.split(';').map(name => `${name}:${headers[name]}\n`)
  const canonical = `${method}\n${url}\n\n${lines.join('')}\n${names}\n${sha256(body)}`
  const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${day}/eu-test-1/s3/aws4_request\n${sha256(canonical)}`
  let key: string | Buffer = 'AWS4the-secret'
  for (const part of [day!, 'eu-test-1', 's3', 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest()
  return (key as Buffer).toString('hex') === signature
}

describe('a copy of the public proof in a bucket', () => {
  let world: World
  let store: Store
  let errors: string[]
  const copy = () => publishToBucket(world.services)
  beforeEach(async () => {
    world = await openWorld()
    store = new Store()
    errors = []
    const bucket = { url: await store.listen(), region: 'eu-test-1', id: 'the-id', secret: 'the-secret' }
    Object.assign(world.services.config, { bucket })
    Object.assign(world.services, {
      log: { ...world.services.log, error: (_: object, text: string) => void errors.push(text) },
    })
    await world.fund(await world.person('Ann'), 100_00n)
    await endEpoch()
  })

  async function endEpoch(): Promise<void> {
    await sealBooks(world.services)
    expect(await writeLog(world.services, { closeNow: true })).toBe(1)
  }

  test('has the files of a folder, with their types; then the checkpoint, then its key', async () => {
    expect(await copy()).toBe(store.objects.size)
    expect(store.written.slice(-2)).toEqual(['checkpoint', 'vkey'])
    const folder = mkdtempSync(join(tmpdir(), 'probity-bucket-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    expect(await publishTo(world.services.pool, folder)).toBe(store.objects.size)
    for (const [path, { body }] of store.objects)
      expect(readFileSync(join(folder, path.replace('/bucket/proof/', ''))), path).toEqual(body)
    expect(store.objects.get('/bucket/proof/checkpoint')).toMatchObject({
      type: 'text/plain; charset=utf-8',
      cache: 'no-cache',
    })
    expect(store.objects.get('/bucket/proof/epochs/1/leaves.bin')).toMatchObject({
      type: 'application/octet-stream',
      cache: 'public, max-age=31536000, immutable',
    })
  })

  test('gets what is missing only', async () => {
    await copy()
    expect(await copy()).toBe(0)
    store.written.splice(0)
    store.objects.delete('/bucket/proof/epochs/1/leaves.bin')
    await endEpoch()
    await copy()
    expect(store.written).toContain('epochs/1/leaves.bin')
    expect(store.written).toContain('epochs/2/checkpoint')
    expect(store.written).not.toContain('epochs/1/checkpoint')
    expect(store.written.at(-1)).toBe('checkpoint')
  })

  test.each([
    ['another tree', 'epochs/1/leaves.bin'],
    ['another tree of as many bytes', 'epochs/1/leaves.bin'],
    ['another checkpoint of an epoch', 'epochs/1/checkpoint'],
  ])('%s there stays, and nothing is said to be published', async (what, path) => {
    await copy()
    const ours = store.objects.get(`/bucket/proof/${path}`)!.body
    for (const newest of ['checkpoint', 'vkey']) store.objects.delete(`/bucket/proof/${newest}`)
    store.written.splice(0)
    store.set(path, what.includes('as many') ? Buffer.alloc(ours.length) : what)
    const there = store.objects.get(`/bucket/proof/${path}`)!.body
    expect(await copy()).toBe(0)
    expect(errors).toEqual([
      `nothing is copied to the bucket: ${path} is there with another content (docs/operate.md, Public proof)`,
    ])
    expect(store.objects.get(`/bucket/proof/${path}`)!.body).toEqual(there)
    expect(store.written).not.toContain('checkpoint')
  })

  test('no epoch is signed that does not continue the copy, but without an answer it is', async () => {
    await copy()
    const [origin, , root] = store.objects.get('/bucket/proof/checkpoint')!.body.toString().split('\n')
    const published = store.objects.get('/bucket/proof/checkpoint')!.body
    store.set('checkpoint', `${origin}\n9\n${root}\n\n`)
    await sealBooks(world.services)
    expect(await writeLog(world.services, { closeNow: true })).toBe(null)
    expect(errors).toEqual([
      'no epoch is signed: the copy has 9 leaves, the database 2 (docs/operate.md, Public proof)',
    ])
    store.set('checkpoint', published)
    store.status = 503
    await endEpoch()
  })

  test('another history there stays, and raises an alarm', async () => {
    await copy()
    const [origin, size, root] = store.objects.get('/bucket/proof/checkpoint')!.body.toString().split('\n')
    const before = store.written.length
    store.set('checkpoint', `${origin}\n9\n${root}\n\n`)
    expect(await copy()).toBe(0)
    store.set('checkpoint', `${origin}\n${size}\n${Buffer.alloc(32).toString('base64')}\n\n`)
    expect(await copy()).toBe(0)
    store.set('vkey', 'another.example+00000000+AAAA\n')
    expect(await copy()).toBe(0)
    expect(store.written).toHaveLength(before)
    expect(errors).toEqual([
      'nothing is copied to the bucket: the copy has 9 leaves, the database 2 (docs/operate.md, Public proof)',
      "nothing is copied to the bucket: the log's first 2 leaves are not those of the copy (docs/operate.md, Public proof)",
      'nothing is copied to the bucket: there is a copy of another log (docs/operate.md, Public proof)',
    ])
  })

  test('a wrong secret, or a store that is down, fails and is tried again', async () => {
    store.status = 503
    await expect(copy()).rejects.toThrow(/the bucket answered 503 to GET (vkey|checkpoint)/)
    store.status = 0
    Object.assign(world.services.config.bucket!, { secret: 'wrong' })
    await expect(copy()).rejects.toThrow('the bucket answered 403')
    Object.assign(world.services.config.bucket!, { secret: 'the-secret' })
    expect(await copy()).toBeGreaterThan(0)
  })
})
