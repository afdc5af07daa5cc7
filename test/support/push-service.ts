import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { atEnd } from './clean-up.ts'

type Received = { path: string; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** A push service on loopback (RFC 8030), whose answers a test decides. */
export async function startPushService() {
  const received: Received[] = []
  const state = { status: 201, headers: {} as Record<string, string> }
  const server = createServer(async (request, response) => {
    received.push({ path: request.url!, headers: request.headers, body: await buffer(request) })
    response.writeHead(state.status, state.headers).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, received, state }
}

/** A browser's subscription, as it states it, at one of its push services. */
export function pushSubscription(origin = 'https://fcm.googleapis.com') {
  return browserAt(origin).subscription
}

/** A browser that reads what it is sent. */
export function browserAt(origin: string) {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys()
  const auth = randomBytes(16)
  return {
    subscription: {
      endpoint: `${origin}/send/${randomBytes(16).toString('base64url')}`,
      keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    },
    /** By RFC 8291, sections 3.3 and 3.4, and RFC 8188: one record. */
    read(body: Buffer): unknown {
      const salt = body.subarray(0, 16)
      const keyLength = body.readUInt8(20)
      const sender = body.subarray(21, 21 + keyLength)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender])
      const input = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32))
      const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16))
      const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12))
      const sealed = body.subarray(21 + keyLength)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
      const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      return JSON.parse(record.subarray(0, record.lastIndexOf(2)).toString())
    },
  }
}

/** What our signature says (RFC 8292). @throws Error if it is not by the key that it names */
export function vapidOf(authorization: unknown) {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(String(authorization)) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'))
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  const signed = Buffer.from(`${head}.${claims}`)
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', signed, by, Buffer.from(signature, 'base64url')))
    throw new Error('not signed by its key')
  const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { key, head: parsed(head), claims: parsed(claims) }
}
