import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { getEarning } from '#shared/contract/earnings.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import * as call from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import { maximumEvidenceBytes } from '#shared/limits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let port: number
beforeAll(async () => {
  world = await openWorld()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  port = (world.app.server.address() as AddressInfo).port
})

const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\nstartxref\n9\n%%EOF\n')
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

type Sent = { name?: string; type?: string; by?: Person | null }
async function upload(
  content: Buffer | string,
  { name = 'rent.pdf', type = 'application/pdf', by = world.admin }: Sent = {},
) {
  const response = await world.app.inject({
    method: 'POST',
    url: '/api/return/evidence',
    query: { name },
    headers: {
      'content-type': type,
      ...(by === null ? {} : { authorization: `Bearer ${await world.tokenOf(by)}` }),
    },
    payload: content,
  })
  return { ...response.json(), status: response.statusCode }
}
const record = (body: object, by = world.admin) =>
  world.call(call.newReturn, by, {
    body: { amount: 1_000, source: 'Rent of a hall', realisedAt: '2026-03-01', ...body },
  })
const download = async (id: string, by: Person) =>
  world.app.inject({
    url: `/api/return/evidence/${id}`,
    headers: { authorization: `Bearer ${await world.tokenOf(by)}` },
  })

describe('a file as evidence', () => {
  test.each([
    ['rent.pdf', 'application/pdf', pdf],
    ['receipt.png', 'image/png', png],
  ])(
    '[N-11, D1] %s is stored with its hash for a return, and served unchanged',
    async (name, type, content) => {
      const { status, message, data } = await upload(content, { name, type })
      expect([status, message]).toEqual([200, 'File uploaded'])
      const file = { name, type, size: content.length, sha256: hashOf(content) }
      expect(data).toMatchObject(file)
      const recorded = await record({ evidenceFile: data._id })
      expect(recorded.data).toMatchObject({ evidence: name, evidenceKind: 'file', evidenceFile: file })
      const served = await download(recorded.data._id, world.secondAdmin)
      expect(served.rawPayload.equals(content)).toBe(true)
      expect(served.headers).toMatchObject({
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      expect(served.headers['content-security-policy']).toMatch(/default-src 'none'.*; sandbox$/)
      const log = await world.call(listAudit, world.admin, { query: { q: data._id } })
      expect(log.data[0]).toMatchObject({
        action: 'evidence.uploaded',
        details: { name, sha256: file.sha256 },
      })
    },
  )

  test.each([
    ['HTML', '<html><script>alert(1)</script></html>'],
    ['HTML before a PDF', Buffer.concat([Buffer.from('<script>alert(1)</script>'), pdf])],
    ['half a PDF', pdf.subarray(0, 30)],
    ['nothing', ''],
    ['text', 'Paid by bank transfer'],
    ['a PNG', png],
  ])('[N-11] %s is no PDF, whatever its name and type say', async (_what, content) => {
    const before = await world.state()
    const answer = await upload(content)
    expect(answer).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(await world.state()).toBe(before)
  })

  test.each([
    ['a PNG with HTML behind it', Buffer.concat([png, Buffer.from('<script>alert(1)</script>')])],
    ['a PDF', pdf],
    ['the first bytes alone', png.subarray(0, 40)],
  ])('[N-11] %s is no PNG', async (_what, content) => {
    const answer = await upload(content, { name: 'receipt.png', type: 'image/png' })
    expect(answer).toMatchObject({
      status: 400,
      message: 'This is not a complete PDF or PNG file',
      fields: { evidence: 'This is not a complete PDF or PNG file' },
    })
  })

  test.each([
    'text/html',
    'image/svg+xml',
    'application/json',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
  ])('[N-11] of type %s none is taken', async type => {
    expect(await upload(pdf, { type })).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      message: 'Send a PDF or PNG file',
    })
  })

  test('[N-11] may have at most five megabytes', async () => {
    const most = Buffer.concat([pdf, Buffer.alloc(maximumEvidenceBytes - 2 * pdf.length, 0x20), pdf])
    expect(await upload(most)).toMatchObject({ status: 200, data: { size: maximumEvidenceBytes } })
    expect(await upload(Buffer.concat([most, Buffer.from(' ')]))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      message: 'A file can have at most 5 MB',
    })
  })

  test('[N-11] a gigabyte is refused early; without a token none of it is read', async () => {
    const gigabyte = 1024 ** 3
    for (const [by, expected] of [
      [world.admin, 413],
      [null, 401],
    ] as const) {
      const { status, sent } = await pour(port, gigabyte, by === null ? null : await world.tokenOf(by))
      expect(status).toBe(expected)
      expect(sent).toBeLessThan(gigabyte / 8)
    }
  })

  test('[N-11] who sends all of a large file before reading gets the refusal, too', async () => {
    const bytes = 32 * 1024 * 1024
    const socket = connect(port, '127.0.0.1')
    const head = [
      'POST /api/return/evidence?name=a.pdf HTTP/1.1',
      'host: here',
      'content-type: application/pdf',
      `content-length: ${bytes}`,
      `authorization: Bearer ${await world.tokenOf(world.admin)}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await new Promise<void>((sent, failed) => {
      socket.on('error', failed)
      socket.write(Buffer.alloc(bytes), error => (error ? failed(error) : sent()))
    })
    const [answer] = await once(socket, 'data')
    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
  })

  test.each([
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Users\\ada\\rent.pdf', 'rent.pdf'],
    ['Miete März 2026.PDF', 'Miete Marz 2026.pdf'],
    ['Rent roll, March.pdf', 'Rent roll, March.pdf'],
    ['rent.pdf.exe', 'rent.pdf.pdf'],
    ['a"b;c=d.pdf', 'a-b-c-d.pdf'],
    ['....', 'evidence.pdf'],
    ['租金.pdf', 'evidence.pdf'],
    [`${'long '.repeat(50)}.pdf`, `${'long '.repeat(50).slice(0, 116)}.pdf`],
  ])('[N-11] the name %s is kept as %s', async (name, kept) => {
    expect((await upload(pdf, { name })).data).toMatchObject({ name: kept })
  })

  test('[N-11] a name with control characters, or none, is refused', async () => {
    for (const name of ['', 'a\r\nSet-Cookie: x=1.pdf', '\0.pdf', 'x'.repeat(256)]) {
      expect(await upload(pdf, { name })).toMatchObject({ status: 400, code: 'invalid_input' })
    }
  })

  test('[N-11] proves one return, recorded by its uploader', async () => {
    const { data } = await upload(pdf)
    expect(await record({ evidenceFile: data._id }, world.secondAdmin)).toMatchObject({
      status: 400,
      fields: { evidence: 'The uploaded file has expired. Upload it again.' },
    })
    const answers = await Promise.all(Array.from({ length: 5 }, () => record({ evidenceFile: data._id })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.fields).toEqual({
        evidence: 'This file is already the evidence of another return. Upload it again.',
      })
    }
    const both = await upload(pdf)
    expect(await record({ evidenceFile: both.data._id, evidence: 'BANK-2026-1' })).toMatchObject({
      status: 400,
    })
    expect(await record({})).toMatchObject({ status: 400, message: 'Evidence is required' })
  })

  test('[B-01] the application can neither change nor remove its content', async () => {
    const { data } = await upload(pdf)
    await record({ evidenceFile: data._id })
    const { app, owner } = world.database
    await expect(
      app.query('UPDATE app.evidence_files SET name = $1 WHERE id = $2', ['other.pdf', data._id]),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(app.query('DELETE FROM app.evidence_files WHERE id = $1', [data._id])).rejects.toMatchObject(
      { code: '23503' },
    )
    await expect(
      owner.query("UPDATE app.evidence_files SET content = 'other' WHERE id = $1", [data._id]),
    ).rejects.toMatchObject({ code: '23514' })
  })

  test('a file that no return names is removed after a day', async () => {
    const { data: unused } = await upload(pdf)
    const { data: used } = await upload(pdf)
    const recorded = await record({ evidenceFile: used._id })
    world.clock.pass({ days: 2 })
    const { data: fresh } = await upload(pdf)
    await cleanUp(world.services)
    const { rows } = await world.owner('SELECT id FROM app.evidence_files')
    const there = rows.map(({ id }) => id)
    expect(there).toEqual(expect.arrayContaining([used._id, fresh._id]))
    expect(there).not.toContain(unused._id)
    expect((await download(recorded.data._id, world.admin)).statusCode).toBe(200)
  })
})

/** Sends zeros until so many bytes are sent or the server has answered. */
function pour(port: number, bytes: number, token: string | null): Promise<{ status: number; sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0
    let over = false
    const sending = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/return/evidence?name=a.pdf',
      headers: {
        'content-type': 'application/pdf',
        'transfer-encoding': 'chunked',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
    })
    const chunk = Buffer.alloc(256 * 1024)
    const more = () => {
      while (!over && sent < bytes) {
        sent += chunk.length
        if (!sending.write(chunk)) {
          sending.once('drain', more)
          return
        }
      }
    }
    sending.on('response', response => {
      over = true
      response.resume()
      sending.destroy()
      resolve({ status: response.statusCode!, sent })
    })
    sending.on('error', error => !over && reject(error))
    more()
  })
}

describe('access to evidence', () => {
  test('[D1, N-11] staff and investors paid by the return; for others it does not exist', async () => {
    const { data: file } = await upload(pdf)
    const { data: proven } = await record({ evidenceFile: file._id, realisedAt: '2020-01-01', amount: 10 })
    const [paid, other] = [await world.person('Paid Investor'), await world.person('Other Investor')]
    for (const who of [paid, other]) {
      const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
      const { data } = await world.call(newInvestment, who, { body })
      await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    }
    const refused = await download(proven._id, paid)
    expect(refused.statusCode).toBe(403)
    const earned = await world.earn(paid, 500n)
    expect((await download(proven._id, paid)).rawPayload.equals(pdf)).toBe(true)
    const { data: earning } = await world.call(getEarning, paid, { params: { id: earned } })
    expect(earning.returns).toMatchObject([
      { _id: proven._id, evidenceKind: 'file', evidenceFile: { sha256: hashOf(pdf) } },
    ])
    const nothing = '019aa000-0000-7000-8000-000000000000'
    const [theirs, absent] = [await download(proven._id, other), await download(nothing, other)]
    expect([theirs.statusCode, absent.statusCode]).toEqual([403, 403])
    expect(theirs.json().message).toBe(absent.json().message)
    expect((await download(nothing, world.admin)).statusCode).toBe(404)
  })

  test('[R-07] only staff with the right to decide upload it', async () => {
    const before = await world.state()
    expect(await upload(pdf, { by: null })).toMatchObject({ status: 401, code: 'token_missing' })
    const investor = await world.person('Curious Investor')
    expect(await upload(pdf, { by: investor })).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await world.state()).toBe(before)
  })
})
