import { act, type Binding } from '#server/context.ts'
import { payFromDemoWallet } from '#shared/contract/demo.ts'
import { requestDemoPayment } from './service.ts'

export const routes: Binding[] = [
  act(payFromDemoWallet, async ({ params: { id }, body: { part } }, ctx, tx) => {
    await requestDemoPayment(tx, ctx, id, part)
    return {}
  }),
]
