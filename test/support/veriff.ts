import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { IdentityProvider } from '#server/config/identity-provider.ts'

type Session = { id: string; vendorData: string; callback: string; verification: object | null }

/** Of a passport, as Veriff tells it. */
export const approvedPassport = {
  status: 'approved',
  code: 9001,
  person: { firstName: 'INES', lastName: 'INVESTOR', dateOfBirth: '1990-02-28', nationality: 'AU' },
  document: {
    number: 'PA1234567',
    type: 'PASSPORT',
    country: 'AU',
    validFrom: '2020-01-01',
    validUntil: '2099-12-31',
  },
}

/**
 * A server that speaks Veriff's protocol, version 1: it takes only requests of its integration that are signed as theirs must be, and
 * signs its answers. The caller closes it.
 */
export async function veriffServer() {
  const provider: IdentityProvider = { url: '', apiKey: 'integration-key', secret: 'shared-secret' }
  const sessions: Session[] = []
  const state = { down: false, signs: provider.secret, answersAbout: undefined as string | undefined }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const path = new URL(request.url!, 'http://veriff').pathname
    const answer = (status: number, content: object) => {
      const sent = JSON.stringify(content)
      const signature = createHmac('sha256', state.signs).update(sent).digest('hex')
      response.writeHead(status, { 'content-type': 'application/json', 'x-hmac-signature': signature })
      response.end(sent)
    }
    if (state.down) return answer(503, { status: 'fail' })
    const [, , , id] = path.split('/')
    const signed = request.method === 'POST' ? body : id!
    const expected = createHmac('sha256', provider.secret).update(signed).digest('hex')
    const { 'x-auth-client': client, 'x-hmac-signature': signature } = request.headers
    if (client !== provider.apiKey || signature !== expected)
      return answer(401, { status: 'fail', code: 1101 })
    if (request.method === 'POST' && path === '/v1/sessions') {
      const made = { id: crypto.randomUUID(), ...JSON.parse(body).verification, verification: null }
      sessions.push(made)
      const url = `${provider.url}/v/${made.id}`
      return answer(201, { status: 'success', verification: { id: made.id, url, status: 'created' } })
    }
    const session = sessions.find(one => one.id === id)
    if (!session || !path.endsWith('/decision')) return answer(404, { status: 'fail' })
    const { verification } = session
    const about = state.answersAbout ?? session.id
    return answer(200, {
      status: 'success',
      verification: verification && { id: about, vendorData: session.vendorData, ...verification },
    })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    provider,
    sessions,
    state,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
    /** Veriff has decided about the newest session. */
    decides: (verification: object) => {
      sessions.at(-1)!.verification = { person: {}, document: {}, ...verification }
    },
  }
}
