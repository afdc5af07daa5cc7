import { may, type Right, type Role } from './roles.ts'

type AlertType = {
  /** In the choices. */
  label: string
  /** In an email, after the number: 'deposit waits for approval'. Absent if it concerns the whole installation. */
  counted?: readonly [one: string, several: string]
  /** Who can see what it is about. */
  right: Right
  /** Who can do something about it, and is told unless they choose otherwise. */
  acts: Right
  /** By default its email is off. `on`: unless they choose otherwise. `own`: everyone who acts gets an email of its own at once. */
  email?: 'on' | 'own'
}

/** What waits for staff, as the console's bell and emails tell them: `record.state`. */
export const alertTypes = {
  'deposit.waiting': {
    label: 'A deposit waits for approval',
    counted: ['deposit waits for approval', 'deposits wait for approval'],
    right: 'console',
    acts: 'decide',
  },
  'deposit.differing': {
    label: 'A payment does not fit its deposit',
    counted: ['payment needs a review', 'payments need a review'],
    right: 'console',
    acts: 'decide',
  },
  'withdrawal.waiting': {
    label: 'A withdrawal waits for approval',
    counted: ['withdrawal waits for approval', 'withdrawals wait for approval'],
    right: 'console',
    acts: 'decide',
  },
  'investment.waiting': {
    label: 'An investment waits for approval',
    counted: ['investment waits for approval', 'investments wait for approval'],
    right: 'console',
    acts: 'decide',
  },
  'earning.waiting': {
    label: 'An earning waits for a second person',
    counted: ['earning waits for a second person', 'earnings wait for a second person'],
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'return.waiting': {
    label: 'A recorded return waits for a second person',
    counted: ['recorded return waits for a second person', 'recorded returns wait for a second person'],
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'proposal.waiting': {
    label: 'A proposal waits for a second admin',
    counted: ['proposal waits for a second admin', 'proposals wait for a second admin'],
    right: 'manage',
    acts: 'manage',
    email: 'own',
  },
  'message.waiting': {
    label: 'A message waits for an answer',
    counted: ['message waits for an answer', 'messages wait for an answer'],
    right: 'care',
    acts: 'care',
  },
  'match.waiting': {
    label: 'A name may be on a sanctions list',
    counted: ['name may be on a sanctions list', 'names may be on a sanctions list'],
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'pep.waiting': {
    label: 'A name may be that of a politically exposed person',
    counted: [
      'name may be that of a politically exposed person',
      'names may be those of politically exposed persons',
    ],
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'screening.late': {
    label: 'Names wait for their comparison with the sanctions lists',
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'list.refused': {
    label: 'The file of a published list was refused',
    counted: ['published list was refused', 'published lists were refused'],
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'list.stale': {
    label: 'A published list is too old',
    counted: ['published list is too old', 'published lists are too old'],
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'withdrawal.listed': {
    label: 'An open withdrawal goes to a wallet on a sanctions list',
    counted: [
      'open withdrawal goes to a wallet on a sanctions list',
      'open withdrawals go to wallets on sanctions lists',
    ],
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'case.waiting': {
    label: 'A monitoring case is open',
    counted: ['monitoring case is open', 'monitoring cases are open'],
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'monitoring.late': {
    label: 'The rules of monitoring cannot read some accounts',
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'check.waiting': {
    label: 'An identity check waits for its decision',
    counted: ['identity check waits for its decision', 'identity checks wait for their decision'],
    right: 'identity',
    acts: 'identity',
    email: 'on',
  },
  'payout.differing': {
    label: 'A payout needs a review',
    counted: ['payout batch needs a review', 'payout batches need a review'],
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'outgoing.unexplained': {
    label: 'No payout explains a transaction',
    right: 'console',
    acts: 'manage',
    email: 'own',
  },
  'network.failing': {
    label: 'The sync of a network fails',
    right: 'console',
    acts: 'manage',
    email: 'on',
  },
  'books.differing': {
    label: 'The check of the books finds a fault',
    right: 'console',
    acts: 'manage',
    email: 'on',
  },
  'job.failed': {
    label: 'A job or an email has failed for good',
    right: 'manage',
    acts: 'manage',
    email: 'on',
  },
} as const satisfies Record<string, AlertType>
export type AlertKind = keyof typeof alertTypes

export const alertKinds = Object.keys(alertTypes) as AlertKind[]

export function alertType(kind: AlertKind): AlertType {
  return alertTypes[kind]
}

/** The kinds that a role's rights let its holder see. */
export function alertsFor(role: Role | null): AlertKind[] {
  return alertKinds.filter(kind => may(role, alertTypes[kind].right))
}

/** How a person is notified of one kind. */
export type AlertChoice = { kind: AlertKind; bell: boolean; email: boolean; onlyAssigned: boolean }

/** What a person who has chosen nothing is told. */
export function defaultChoice(role: Role | null, kind: AlertKind): AlertChoice {
  const { acts, email } = alertType(kind)
  return { kind, bell: may(role, acts), email: may(role, acts) && email === 'on', onlyAssigned: false }
}
