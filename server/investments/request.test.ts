import { expect, test } from 'vitest'
import type { SignedInContext } from '#server/context.ts'
import type { MoneyCommand, MoneyOutcome } from '#server/ledger/batch.ts'
import { openWorld } from '#test/support/world.ts'
import { investFromBalance } from './request.ts'

/** An investment whose plan is changed each time between the look at it and the statement, `changes` times. */
async function investDuring(changes: number) {
  const { services, admin } = await openWorld()
  const request = { services, caller: admin.caller, idempotency: null, ip: '192.0.2.1', requestId: 'request' }
  let sent = 0
  const execute = async ({ answer }: MoneyCommand): Promise<MoneyOutcome> => {
    sent += 1
    return sent <= changes ? { refusal: { code: 'plan_changed' } } : { result: answer }
  }
  const asked = { plan: 'Basic', amountCents: 50_000n }
  return investFromBalance(request as unknown as SignedInContext, asked, execute)
}

test('[D4] a plan that changes at this moment is looked at again', async () => {
  expect(await investDuring(2)).toMatchObject({ plan: 'Basic', amount: 500, status: 'pending' })
})

test('[D4] one that keeps changing is refused in words', async () => {
  await expect(investDuring(3)).rejects.toMatchObject({
    code: 'wrong_state',
    message: expect.stringContaining('just been changed'),
  })
})
