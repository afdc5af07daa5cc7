import type { Query } from '@tanstack/react-query'
import type { Topic } from '#shared/live.ts'
import { queries } from './read.ts'

/** Reads that show an investor's money. */
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

/** For each topic, prefixes of the call ids that show it. */
export const readsByTopic: Record<Topic, readonly string[]> = {
  deposits: ['deposit.list', 'deposit.getOne', 'deposit.weigh', 'case.getOne', ...money],
  investments: [
    'investment.list',
    'identity.own',
    'earning.getOne',
    'earning.previewPlan',
    'plan.catalogue',
    'plan.versions',
    ...money,
  ],
  withdrawals: ['withdrawal.list', 'withdrawal.getOne', 'payout.', 'case.getOne', 'identity.own', ...money],
  payouts: [
    'payout.',
    'withdrawal.list',
    'withdrawal.getOne',
    'console.summary',
    'console.chains',
    'audit.list',
  ],
  sweeps: ['sweep.', 'audit.list'],
  earnings: [
    'earning.list',
    'earning.getOne',
    'earning.previewPlan',
    'earning.planRun',
    'investment.list',
    'return.',
    ...money,
  ],
  screening: ['screening.', 'console.summary', 'console.user'],
  monitoring: ['case.', 'console.summary', 'console.user', 'audit.list'],
  identity: [
    'identity.',
    'withdrawal.getOne',
    'investment.getOne',
    'console.summary',
    'console.user',
    'audit.list',
  ],
  returns: ['return.', 'earning.previewPlan', 'audit.list', 'console.summary', 'console.postings'],
  plans: ['plan.', 'audit.list'],
  messages: ['contact.', 'message.', 'answer.', 'audit.list', 'console.summary'],
  announcements: ['announcement.', 'audit.list'],
  policies: ['policy.', 'audit.list'],
  firm: ['firm.', 'brand.', 'statistic.', 'audit.list'],
  integrations: ['apiKey.', 'webhook.', 'audit.list'],
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
  notifications: ['notification.', 'alert.'],
  alerts: ['notification.'],
  security: ['auth.listSessions', 'auth.secondFactor', 'auth.passkeys', 'address.'],
}

/** True if a call shows any of these topics. */
export function concernsTopics(callId: string, topics: Iterable<Topic>): boolean {
  for (const topic of topics)
    if (readsByTopic[topic].some(beginning => callId.startsWith(beginning))) return true
  return false
}

/** Pause between refreshes, so that frequent changes do not keep page and server busy. */
const pauseMs = 1_000

const waiting = new Set<Topic>()
let isReading = false

/** Refreshes what shows these topics; later topics are collected for the next round. */
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
  // The library does not restart a pending first read, which may have seen the old state.
  const under = queries.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' })
  const firsts = under.filter(({ state }) => state.status === 'pending')
  await queries.invalidateQueries({ predicate })
  await Promise.all(firsts.map(({ queryKey }) => queries.invalidateQueries({ queryKey, exact: true })))
}

export function readAllAgain(): void {
  readAgain(Object.keys(readsByTopic) as Topic[])
}
