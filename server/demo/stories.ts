import type { DepositMethod } from '#shared/coins.ts'
import type { PersonKey } from './people.ts'
import { unprovedDollars } from './settings.ts'
import type { Stage } from './stage.ts'

/** The events of one person in order; each `yield` is the time of the next: days ago, and the hour (UTC). */
export type Story = AsyncGenerator<[daysAgo: number, hour: number], void>

/** The sample investor, with records of every kind and state. */
async function* eleanor(stage: Stage): Story {
  const who = 'investor'
  yield [233, 9]
  const proof = await stage.proveIdentity(who, '1984-05-12')
  yield [233, 11]
  await stage.verifyIdentity(proof)
  yield [232, 9]
  const first = await stage.deposit(who, 5_000, 'bitcoin')
  yield [232, 12]
  await stage.approveDeposit(first)
  yield [231, 10]
  const enthusiast = await stage.invest(who, 'Enthusiast', 2_500)
  yield [231, 15]
  await stage.approveInvestment(enthusiast)
  yield [201, 16]
  await stage.addEarnings(who, undefined, 'Full term')
  yield [200, 9]
  await stage.closeInvestment(enthusiast)
  yield [190, 8]
  const second = await stage.deposit(who, 3_200, 'usdt')
  yield [190, 10]
  await stage.approveDeposit(second)
  yield [188, 11]
  const business = await stage.invest(who, 'Business', 6_000)
  yield [187, 9]
  await stage.approveInvestment(business)
  yield [172, 9]
  await stage.addEarnings(who, undefined, 'First half of the term')
  yield [157, 9]
  await stage.addEarnings(who)
  yield [156, 10]
  await stage.closeInvestment(business)
  yield [150, 13]
  const paid = await stage.withdraw(who, 1_000, 'Bitcoin (BTC)')
  yield [149, 9]
  await stage.approveWithdrawal(paid)
  yield [149, 14]
  await stage.payWithdrawal(paid)
  yield [122, 8]
  const promo = await stage.investByCoin(who, 'Promo', 10_000, 'bitcoin')
  yield [122, 11]
  await stage.approveInvestment(promo)
  yield [91, 15]
  await stage.addEarnings(who, 900, 'Part of the target; the exit realised less than planned')
  yield [90, 9]
  await stage.closeInvestment(promo)
  yield [86, 17]
  const wrong = await stage.withdraw(who, 4_000, 'USDT TRC-20')
  yield [85, 9]
  await stage.declineWithdrawal(
    wrong,
    'The exchange behind this address returns third-party payments. Please use an address of your own.',
  )
  yield [84, 10]
  const right = await stage.withdraw(who, 4_000, 'Bitcoin (BTC)')
  yield [83, 9]
  await stage.approveWithdrawal(right)
  yield [83, 15]
  await stage.payWithdrawal(right)
  yield [62, 12]
  const declined = await stage.investByCoin(who, 'Basic', 800, 'usdt')
  yield [61, 9]
  await stage.declineInvestment(
    declined,
    'This plan is full for the quarter. Your payment was not collected.',
  )
  yield [48, 9]
  const forgotten = await stage.deposit(who, 250, 'ethereum')
  yield [46, 10]
  await stage.expireDeposit(forgotten)
  yield [40, 9]
  const matured = await stage.invest(who, 'Business', 5_000)
  yield [39, 10]
  await stage.approveInvestment(matured)
  yield [24, 9]
  const active = await stage.invest(who, 'Enthusiast', 4_000)
  yield [23, 11]
  await stage.approveInvestment(active)
  yield [9, 14]
  await stage.addEarnings(who)
  yield [3, 9]
  const approved = await stage.withdraw(who, 1_200, 'Bitcoin (BTC)')
  yield [2, 10]
  await stage.approveWithdrawal(approved)
  yield [2, 15]
  await stage.invest(who, 'Beginner', 600)
  yield [1, 16]
  await stage.withdraw(who, 350, 'Ethereum (ETH)')
  yield [0, 1]
  await stage.deposit(who, 400, 'usdt')
}

/** The usual course: deposit, invest, earn, close, and withdraw a part. */
async function* usual(
  stage: Stage,
  who: PersonKey,
  plan: string,
  dollars: number,
  {
    from,
    days,
    rounds,
    withdraws = 0,
    method = from % 2 === 0 ? 'bitcoin' : 'usdt',
  }: { from: number; days: number; rounds: number; withdraws?: number; method?: DepositMethod },
): Story {
  if (dollars > unprovedDollars) {
    yield [from, 6]
    const proof = await stage.proveIdentity(who, '1978-09-30')
    yield [from, 7]
    await stage.verifyIdentity(proof)
  }
  yield [from, 8]
  const deposit = await stage.deposit(who, dollars, method)
  yield [from, 14]
  await stage.approveDeposit(deposit)
  let day = from - 1
  for (let round = 0; round < rounds; round += 1) {
    yield [day, 10]
    const investment = await stage.invest(who, plan, dollars)
    day -= 1
    yield [day, 9]
    await stage.approveInvestment(investment)
    day -= days
    if (day < 2) return
    yield [day, 11]
    await stage.addEarnings(who)
    day -= 1
    yield [day, 12]
    await stage.closeInvestment(investment)
    day -= 1
  }
  if (withdraws === 0) return
  yield [day, 10]
  const withdrawal = await stage.withdraw(who, withdraws, 'USDT TRC-20')
  yield [day, 15]
  await stage.approveWithdrawal(withdrawal)
  yield [day - 1, 9]
  await stage.payWithdrawal(withdrawal)
}

/** A large withdrawal, approved by one of two admins. */
async function* large(stage: Stage): Story {
  yield [44, 6]
  const proof = await stage.proveIdentity('wei', '1969-01-17')
  yield [44, 7]
  await stage.verifyIdentity(proof)
  yield [44, 8]
  const deposit = await stage.deposit('wei', 32_000, 'bitcoin')
  yield [44, 12]
  await stage.approveDeposit(deposit)
  yield [43, 9]
  const elite = await stage.invest('wei', 'Elite', 20_000)
  yield [42, 9]
  await stage.approveInvestment(elite)
  yield [36, 12]
  await stage.addEarnings('wei', 1_500, 'Part of the target')
  yield [36, 13]
  await stage.closeInvestment(elite)
  yield [4, 9]
  const withdrawal = await stage.withdraw('wei', 24_000, 'Bitcoin (BTC)')
  yield [3, 10]
  await stage.approveWithdrawal(withdrawal)
}

/** Pending requests. */
async function* waiting(stage: Stage): Story {
  yield [6, 10]
  const deposit = await stage.deposit('mei', 1_500, 'usdt')
  yield [6, 13]
  await stage.approveDeposit(deposit)
  yield [1, 9]
  await stage.invest('mei', 'Beginner', 1_000)
  yield [1, 12]
  await stage.withdraw('grace', 300, 'Litecoin (LTC)')
  yield [0, 2]
  await stage.deposit('jonas', 2_500, 'bitcoin')
  yield [0, 3]
  await stage.investByCoin('noah', 'Enthusiast', 1_200, 'usdt')
  yield [0, 4]
  await stage.proveIdentity('noah', '1991-03-08')
}

/** A declined deposit and an unpaid one. */
async function* unpaid(stage: Stage): Story {
  yield [75, 9]
  const declined = await stage.deposit('callum', 900, 'ethereum')
  yield [74, 9]
  await stage.declineDeposit(declined, 'This transaction belongs to another payment.')
  yield [33, 9]
  const forgotten = await stage.deposit('priya', 300, 'bitcoin')
  yield [31, 10]
  await stage.expireDeposit(forgotten)
}

/** Realised returns, the only source of earnings: dollars, source, days ago, and the document that is their evidence. */
const realised = [
  [3_500, 'Partial sale of Harbourline Logistics', 374, 'Completion statement'],
  [1_900, 'Dividend of Carrick Dental Group, first quarter', 334, 'Dividend notice'],
  [1_400, 'Rent of the Alder Street warehouses', 183, 'Rent roll'],
  [4_600, 'Sale of the stake in Fenwick Foods', 158, 'Completion statement'],
  [2_050, 'Dividend of Carrick Dental Group, second quarter', 123, 'Dividend notice'],
  [6_200, 'Recapitalisation of Northgate Software', 95, 'Funds flow statement'],
  [2_800, 'Interest on the notes of Merrion Health', 52, 'Interest notice'],
  [2_700, 'Dividend of Carrick Dental Group, third quarter', 26, 'Dividend notice'],
  [1_150, 'Rent of the Alder Street warehouses', 8, 'Rent roll'],
] as const

async function* returns(stage: Stage, dayOf: (daysAgo: number) => string): Story {
  for (const [dollars, source, day, document] of realised) {
    yield [day - 1, 7]
    await stage.recordReturn(dollars, source, dayOf(day), document)
  }
}

async function* messages(stage: Stage): Story {
  yield [19, 6]
  await stage.write(
    'Oliver Grant',
    'oliver.grant@example.com',
    'Minimum for a family trust',
    'Good morning,\n\nour family trust would like to start with $20,000. Which documents do you need from a trustee?\n\nRegards\nOliver Grant',
  )
  yield [7, 21]
  await stage.write(
    'Sofia Marin',
    'sofia.marin@example.org',
    'How are targets set?',
    'Your plans name a target percentage. How is it set, and how often was it reached last year?',
  )
  yield [1, 4]
  await stage.write(
    'Peter Novak',
    'peter.novak@example.net',
    'Meeting in Sydney',
    'I am in Sydney the week after next. Would anyone have half an hour?',
  )
}

/** All stories of the sample. */
export function storiesOf(stage: Stage, dayOf: (daysAgo: number) => string): Story[] {
  return [
    returns(stage, dayOf),
    eleanor(stage),
    usual(stage, 'tomas', 'Beginner', 1_500, { from: 230, days: 30, rounds: 3, withdraws: 500 }),
    usual(stage, 'aisha', 'Enthusiast', 3_000, { from: 222, days: 30, rounds: 9 }),
    usual(stage, 'henrik', 'Promo', 12_000, { from: 372, days: 30, rounds: 2, withdraws: 6_000 }),
    usual(stage, 'grace', 'Basic', 900, { from: 200, days: 30, rounds: 9 }),
    usual(stage, 'wei', 'Enthusiast', 2_000, { from: 330, days: 30, rounds: 2, withdraws: 2_000 }),
    usual(stage, 'lucia', 'Business', 5_500, { from: 170, days: 30, rounds: 3, withdraws: 1_500 }),
    usual(stage, 'callum', 'Beginner', 1_000, { from: 155, days: 30, rounds: 9 }),
    usual(stage, 'priya', 'Basic', 700, { from: 135, days: 30, rounds: 3, withdraws: 400 }),
    usual(stage, 'jonas', 'Deluxe', 60_000, { from: 110, days: 150, rounds: 1 }),
    usual(stage, 'amelie', 'Enthusiast', 4_500, { from: 88, days: 30, rounds: 9, method: 'ethereum' }),
    usual(stage, 'noah', 'Beginner', 1_999, { from: 50, days: 30, rounds: 9, method: 'ethereum' }),
    large(stage),
    unpaid(stage),
    waiting(stage),
    messages(stage),
  ]
}
