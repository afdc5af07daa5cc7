import type { APIRequestContext } from '@playwright/test'
import { fundsAnswers, identityAnswers } from '#test/support/identity.ts'
import { png } from '#test/support/png.ts'
import type { Investor } from './investor.ts'
import { callApi, sample, tokenOf } from './people.ts'

type Check = { _id: string }

/** A picture as a browser's file field takes it. */
export const picture = (name: string) => ({ name: `${name}.png`, mimeType: 'image/png', buffer: png() })

async function upload(request: APIRequestContext, { token }: Investor, kind: string): Promise<void> {
  const response = await request.post(`/api/identity/file?kind=${kind}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    data: png(),
  })
  if (!response.ok()) throw new Error(await response.text())
}

/** Sends a proof of identity, where that is not the journey's subject. */
export async function sendIdentity(
  request: APIRequestContext,
  investor: Investor,
  changes: Partial<Record<keyof typeof identityAnswers, string>> = {},
): Promise<Check> {
  for (const kind of ['front', 'selfie']) await upload(request, investor, kind)
  const body = { ...identityAnswers, name: investor.person.name, ...changes }
  return callApi<Check>(request, 'POST', '/identity/new', { token: investor.token, body })
}

/** Sends a proof of the source of funds, with so many files. */
export async function sendFunds(request: APIRequestContext, investor: Investor, files = 1): Promise<Check> {
  for (let n = 0; n < files; n++) await upload(request, investor, 'funds')
  return callApi<Check>(request, 'POST', '/identity/funds/new', {
    token: investor.token,
    body: fundsAnswers,
  })
}

/** An admin opens what was sent, and decides. */
export async function decide(
  request: APIRequestContext,
  { _id }: Check,
  decision: 'verified' | 'returned' | 'refused',
  reason?: string,
): Promise<void> {
  const token = await tokenOf(request, sample('administrator'))
  await callApi(request, 'POST', `/identity/open/${_id}`, { token })
  await callApi(request, 'POST', `/identity/decide/${_id}`, { token, body: { decision, reason } })
}
