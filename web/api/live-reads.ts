import type { Query } from '@tanstack/react-query'
import type { Topic } from '#shared/live.ts'
import { queries } from './read.ts'

/** What shows amounts of an investor: his balances, his statement, and what the firm sees of him. */
const money = [
  'auth.me',
  'auth.summary',
  'auth.echo',
  'auth.listUsers',
  'ledger.',
  'investment.getOne',
  'audit.list',
  'console.',
]

/** The reads, by the beginning of their call's id, that show something of a list. */
export const readsByTopic: Record<Topic, readonly string[]> = {
  deposits: ['deposit.list', 'deposit.getOne', 'deposit.weigh', ...money],
  investments: [
    'investment.list',
    'earning.getOne',
    'earning.previewPlan',
    'plan.catalogue',
    'plan.versions',
    ...money,
  ],
  withdrawals: ['withdrawal.list', 'withdrawal.getOne', 'payout.', ...money],
  payouts: [
    'payout.',
    'withdrawal.list',
    'withdrawal.getOne',
    'console.summary',
    'console.chains',
    'audit.list',
  ],
  earnings: ['earning.list', 'earning.getOne', 'earning.previewPlan', 'investment.list', 'return.', ...money],
  returns: ['return.', 'earning.previewPlan', 'audit.list', 'console.summary', 'console.postings'],
  plans: ['plan.', 'audit.list'],
  messages: ['contact.', 'audit.list', 'console.summary'],
  firm: ['firm.', 'statistic.', 'audit.list'],
  staff: ['staff.', 'proposal.', 'setting.', 'earning.previewPlan', 'audit.list', 'console.userHistory'],
  users: [
    'auth.me',
    'auth.echo',
    'auth.listUsers',
    'earning.previewPlan',
    'staff.list',
    'audit.list',
    'console.',
  ],
  notifications: ['notification.'],
  security: ['auth.listSessions', 'auth.secondFactor', 'auth.passkeys', 'address.'],
}

/** Whether a read, by its call's id, shows something of these lists. */
export function concernsTopics(callId: string, topics: Iterable<Topic>): boolean {
  for (const topic of topics)
    if (readsByTopic[topic].some(beginning => callId.startsWith(beginning))) return true
  return false
}

/** Between the end of one reading and the next, so that no rate of changes keeps a page and the server busy. */
const pauseMs = 1_000

const waiting = new Set<Topic>()
let isReading = false

/** Has what is on show of these lists read again; what comes meanwhile is read after it, together. */
export function readAgain(topics: Iterable<Topic>): void {
  for (const topic of topics) waiting.add(topic)
  if (!isReading) void readWaiting()
}

async function readWaiting(): Promise<void> {
  isReading = true
  while (waiting.size > 0) {
    const topics = [...waiting]
    waiting.clear()
    await readNow(({ queryKey }) => concernsTopics(String(queryKey[0]), topics))
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  isReading = false
}

async function readNow(predicate: (query: Query) => boolean): Promise<void> {
  // A first read that is under way is not begun again by the library, and may have seen the state before the change.
  const under = queries.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' })
  const firsts = under.filter(({ state }) => state.status === 'pending')
  await queries.invalidateQueries({ predicate })
  await Promise.all(firsts.map(({ queryKey }) => queries.invalidateQueries({ queryKey, exact: true })))
}

/** Anything may have changed. */
export function readAllAgain(): void {
  readAgain(Object.keys(readsByTopic) as Topic[])
}
