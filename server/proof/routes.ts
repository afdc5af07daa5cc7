import { type Binding, command, query } from '#server/context.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import * as call from '#shared/contract/proof.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { openingFor } from './opening.ts'
import { overviewOf } from './overview.ts'
import { ownProof } from './own-proof.ts'
import { receiptFor } from './receipts.ts'
import { statusOf } from './status.ts'

export const routes: Binding[] = [
  query(call.proofOverview, async (_input, { services }) =>
    overviewOf({ ...services, ...(await readerOf(services)) }),
  ),

  query(proofStatus, (_input, { services }) => statusOf(services)),

  command(call.proofOpening, (_input, ctx) => openingFor(ctx)),

  query(call.ownProof, async ({ query: { since, from, size } }, { services, caller }) => {
    return (await ownProof(services, caller.userId, { since, from, size })) ?? null
  }),

  query(call.ownReceipt, async ({ params: { id } }, { services, caller }) => {
    const { name, note } = await receiptFor(services, caller.userId, id)
    return { name, content: Buffer.from(note) }
  }),
]
