import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { IdentityProvider } from '#server/config/identity-provider.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import type { IdentityDetails } from '#shared/contract/identity.ts'
import { countries } from '#shared/countries.ts'
import type { DocumentKind, SessionOutcome } from '#shared/identity.ts'

/**
 * Veriff's public API, version 1: a session is created, its person goes through it at Veriff's address, and its decision is asked for
 * (https://devdocs.veriff.com/apidocs). Answers are signed as requests are: HMAC-SHA256 of the body with the shared secret, in hex.
 */

const requestMs = 10_000
/** No answer is longer. */
const longestAnswer = 256 * 1024

const session = z.object({
  status: z.literal('success'),
  verification: z.object({
    id: z.string().regex(/^[\w-]{1,64}$/),
    url: z.url({ protocol: /^https?$/ }).max(2000),
  }),
})

const optional = z.string().nullish()
const decision = z.object({
  status: z.literal('success'),
  verification: z
    .object({
      id: z.string(),
      status: z.string(),
      person: z.object({
        firstName: optional,
        lastName: optional,
        dateOfBirth: optional,
        nationality: optional,
      }),
      document: z.object({ number: optional, type: optional, country: optional, validUntil: optional }),
    })
    .nullable(),
})

/** What Veriff found: how the session ended, with what the document says if it was approved. */
export type VeriffDecision = {
  outcome: Exclude<SessionOutcome, 'cancelled'>
  details: (Omit<IdentityDetails, 'address'> & { address: null }) | null
}

/**
 * Creates a session.
 * @param id ours, by which Veriff names the person to us: it says nothing of them
 * @param callback where the person returns to
 * @throws Error if Veriff cannot be reached or its answer cannot be used
 */
export async function createSession(
  provider: IdentityProvider,
  { id, callback }: { id: string; callback: string },
): Promise<{ id: string; url: string }> {
  const body = JSON.stringify({ verification: { callback, vendorData: id } })
  const answer = await ask(provider, 'POST', '/v1/sessions', { body, signs: body })
  return session.parse(JSON.parse(answer)).verification
}

/**
 * What Veriff decided about a session, or null as long as it has not.
 * @throws Error if Veriff cannot be reached, or its answer is not signed or cannot be used
 */
export async function decisionOf(
  provider: IdentityProvider,
  sessionId: string,
): Promise<VeriffDecision | null> {
  const path = `/v1/sessions/${sessionId}/decision`
  const answer = await ask(provider, 'GET', path, { body: null, signs: sessionId })
  const { verification } = decision.parse(JSON.parse(answer))
  if (verification === null) return null
  if (verification.id !== sessionId) throw new Error('Veriff answered about another session')
  return outcomeOf(verification)
}

type Asked = { body: string | null; signs: string }

/** The answer's text, once its signature is verified. */
async function ask(
  { url, apiKey, secret }: IdentityProvider,
  method: 'GET' | 'POST',
  path: string,
  { body, signs }: Asked,
): Promise<string> {
  const response = await send(new URL(path, url), {
    method,
    headers: {
      'content-type': 'application/json',
      'x-auth-client': apiKey,
      'x-hmac-signature': hmac(secret, signs).toString('hex'),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(requestMs),
  })
  const text = await textOf(response)
  if (!response.ok) throw new Error(`Veriff answered ${response.status}`)
  const signature = Buffer.from(response.headers.get('x-hmac-signature') ?? '', 'hex')
  const expected = hmac(secret, text)
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
    throw new Error('an answer of Veriff is not signed with the shared secret')
  return text
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest()

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > longestAnswer) throw new Error('an answer of Veriff is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

type Verification = NonNullable<z.output<typeof decision>['verification']>

function outcomeOf(verification: Verification): VeriffDecision | null {
  switch (verification.status) {
    case 'approved': {
      const details = detailsOf(verification)
      return details ? { outcome: 'approved', details } : { outcome: 'unusable', details: null }
    }
    case 'declined':
      return { outcome: 'declined', details: null }
    case 'resubmission_requested':
      return { outcome: 'resubmit', details: null }
    case 'expired':
    case 'abandoned':
      return { outcome: 'expired', details: null }
    // Veriff's own staff review it.
    default:
      return null
  }
}

const documents: Readonly<Record<string, DocumentKind>> = {
  PASSPORT: 'passport',
  ID_CARD: 'identity_card',
  DRIVERS_LICENSE: 'driving_licence',
  RESIDENCE_PERMIT: 'residence_permit',
}
const known = new Map(Object.entries(documents))
const countryOf = new Map<string, (typeof countries)[keyof typeof countries]>(Object.entries(countries))

/** What the document says, or null if something that we need is not told. */
function detailsOf({ person, document }: Verification): VeriffDecision['details'] {
  const name = [person.firstName, person.lastName].filter(Boolean).join(' ')
  const kind = known.get(document.type ?? '')
  const issuer = countryOf.get(document.country ?? '')
  const nationality = countryOf.get(person.nationality ?? '') ?? issuer
  const days = [person.dateOfBirth, document.validUntil].map(day => z.iso.date().safeParse(day))
  const [birth, ends] = days.map(({ data }) => data)
  if (name === '' || !kind || !issuer || !nationality || !birth || !ends || !document.number) return null
  return { name, birth, nationality, address: null, document: kind, number: document.number, issuer, ends }
}
