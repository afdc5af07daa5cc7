import { addressOf } from '#shared/call-address.ts'
import type { CallData } from '#shared/contract/define.ts'
import {
  decideCheck,
  openCheck,
  ownIdentity,
  sendFunds,
  sendIdentity,
  uploadIdentityFile,
} from '#shared/contract/identity.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import type { CheckDecision, IdentityFileKind } from '#shared/identity.ts'
import type { Answer } from '#test/support/app.ts'
import { png } from './png.ts'
import { settingsBody } from './settings.ts'
import type { Person, World } from './world.ts'

type Uploaded = Answer<CallData<typeof uploadIdentityFile>>

export const identityAnswers = {
  name: 'Ines Maria Investor',
  birth: '1990-02-28',
  nationality: 'Australia',
  address: '1 Example Street\nSydney 2000',
  document: 'passport',
  number: 'PA1234567',
  issuer: 'Australia',
  ends: '2099-12-31',
} as const

export const fundsAnswers = {
  occupation: 'Nurse',
  source: 'salary',
  explanation: 'Savings of ten years',
  yearly: 20_000,
  experience: 'sometimes',
  loss: 'bearable',
} as const

/** Sends a file of the API's own kind: its body is the file itself. */
export async function uploadProof(
  world: World,
  who: Person,
  kind: IdentityFileKind,
  { content = png(), type = 'image/png' } = {},
): Promise<Uploaded> {
  const response = await world.app.inject({
    method: 'POST',
    url: addressOf(uploadIdentityFile, { query: { kind } }),
    headers: { 'content-type': type, authorization: `Bearer ${world.tokenOf(who)}` },
    payload: content,
  })
  return { ...response.json(), status: response.statusCode }
}

/** What tests of identity need of a world. */
export function proofsIn(world: () => World) {
  const call: World['call'] = (...of) => world().call(...of)
  const send = async (who: Person, changes: object = {}) => {
    for (const kind of ['front', 'selfie'] as const) await uploadProof(world(), who, kind)
    return call(sendIdentity, who, { body: { ...identityAnswers, ...changes } })
  }
  const sendFundsOf = async (who: Person) => {
    await uploadProof(world(), who, 'funds')
    return call(sendFunds, who, { body: fundsAnswers })
  }
  const open = (id: string, by: Person) => call(openCheck, by, { params: { id } })
  const decide = (id: string, decision: CheckDecision, by: Person, reason = 'The picture is blurred') =>
    call(decideCheck, by, { params: { id }, body: { decision, reason } })
  const opened = async (id: string, decision: CheckDecision, by: Person = world().admin) => {
    await open(id, by)
    return decide(id, decision, by)
  }
  const correct = (id: string, by: Person) =>
    call(decideCheck, by, {
      params: { id },
      body: { decision: 'returned', reason: 'The picture is blurred', corrects: true },
    })
  return {
    send,
    sendFunds: sendFundsOf,
    open,
    decide,
    /** Opens it first, as deciding needs. */
    decideOpened: opened,
    /** Corrects a refusal. */
    correct,
    verified: async (who: Person) => {
      const { data } = await send(who)
      return opened(data._id, 'verified')
    },
    own: async (who: Person) => (await call(ownIdentity, who)).data,
    /** Two admins set the limits, in dollars. */
    setLimits: async (identityLimit: number | null, fundsLimit: number | null) => {
      const body = { ...settingsBody, largeWithdrawal: 1_000_000, identityLimit, fundsLimit }
      await call(proposeSettings, world().admin, { body })
      const { data } = await call(listProposals, world().admin, {})
      await call(approveProposal, world().secondAdmin, { params: { id: data[0]!._id } })
    },
  }
}
