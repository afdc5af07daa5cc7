import { type Binding, command, query } from '#server/context.ts'
import * as call from '#shared/contract/proof.ts'
import { openingFor } from './opening.ts'
import { overviewOf } from './overview.ts'
import { ownProof } from './own-proof.ts'
import { receiptFor } from './receipts.ts'

export const routes: Binding[] = [
  query(call.proofOverview, (_input, { services }) => overviewOf(services)),

  command(call.proofOpening, (_input, ctx) => openingFor(ctx)),

  query(call.ownProof, async ({ query: { since, from, size } }, { services, caller }) => {
    return (await ownProof(services, caller.userId, { since, from, size })) ?? null
  }),

  query(call.ownReceipt, async ({ params: { id } }, { services, caller }) => {
    const { name, note } = await receiptFor(services, caller.userId, id)
    return { name, content: Buffer.from(note) }
  }),
]
