import { expect, test } from 'vitest'
import type { SignedInContext } from '#server/context.ts'
import type { MoneyCommand, MoneyOutcome } from '#server/ledger/batch.ts'
import { openWorld } from '#test/support/world.ts'
import { investFromBalance } from './request.ts'

/** Invests while the plan changes `changes` times, each time between the read and the statement. */
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

test('[D4] retries if the plan changes concurrently', async () => {
  expect(await investDuring(2)).toMatchObject({ plan: 'Basic', amount: 500, status: 'pending' })
})

test('[D4] is refused if the plan keeps changing', async () => {
  await expect(investDuring(3)).rejects.toMatchObject({
    code: 'wrong_state',
    reason: 'plan_changed',
  })
})
