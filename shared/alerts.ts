import { msg, t } from './i18n/t.ts'
import { may, type Right, type Role } from './roles.ts'

type AlertType = {
  /** In the choices, named by `msg`. */
  label: string
  /** In an email: '2 deposits wait for approval'. Absent if it concerns the whole installation. */
  counted?: (count: number) => string
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
    label: msg('A deposit waits for approval'),
    counted: count =>
      t('{count, plural, one {# deposit waits for approval} other {# deposits wait for approval}}', {
        count,
      }),
    right: 'console',
    acts: 'decide',
  },
  'deposit.differing': {
    label: msg('A payment does not fit its deposit'),
    counted: count =>
      t('{count, plural, one {# payment needs a review} other {# payments need a review}}', { count }),
    right: 'console',
    acts: 'decide',
  },
  'withdrawal.waiting': {
    label: msg('A withdrawal waits for approval'),
    counted: count =>
      t('{count, plural, one {# withdrawal waits for approval} other {# withdrawals wait for approval}}', {
        count,
      }),
    right: 'console',
    acts: 'decide',
  },
  'investment.waiting': {
    label: msg('An investment waits for approval'),
    counted: count =>
      t('{count, plural, one {# investment waits for approval} other {# investments wait for approval}}', {
        count,
      }),
    right: 'console',
    acts: 'decide',
  },
  'earning.waiting': {
    label: msg('An earning waits for a second person'),
    counted: count =>
      t(
        '{count, plural, one {# earning waits for a second person} other {# earnings wait for a second person}}',
        { count },
      ),
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'return.waiting': {
    label: msg('A recorded return waits for a second person'),
    counted: count =>
      t(
        '{count, plural, one {# recorded return waits for a second person} other {# recorded returns wait for a second person}}',
        { count },
      ),
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'proposal.waiting': {
    label: msg('A proposal waits for a second admin'),
    counted: count =>
      t(
        '{count, plural, one {# proposal waits for a second admin} other {# proposals wait for a second admin}}',
        { count },
      ),
    right: 'manage',
    acts: 'manage',
    email: 'own',
  },
  'message.waiting': {
    label: msg('A message waits for an answer'),
    counted: count =>
      t('{count, plural, one {# message waits for an answer} other {# messages wait for an answer}}', {
        count,
      }),
    right: 'care',
    acts: 'care',
  },
  'match.waiting': {
    label: msg('A name may be on a sanctions list'),
    counted: count =>
      t(
        '{count, plural, one {# name may be on a sanctions list} other {# names may be on a sanctions list}}',
        { count },
      ),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'pep.waiting': {
    label: msg('A name may be that of a politically exposed person'),
    counted: count =>
      t(
        '{count, plural, one {# name may be that of a politically exposed person} other {# names may be those of politically exposed persons}}',
        { count },
      ),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'screening.late': {
    label: msg('Names wait for their comparison with the sanctions lists'),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'list.refused': {
    label: msg('The file of a published list was refused'),
    counted: count =>
      t('{count, plural, one {# published list was refused} other {# published lists were refused}}', {
        count,
      }),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'list.stale': {
    label: msg('A published list is too old'),
    counted: count =>
      t('{count, plural, one {# published list is too old} other {# published lists are too old}}', {
        count,
      }),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'withdrawal.listed': {
    label: msg('An open withdrawal goes to a wallet on a sanctions list'),
    counted: count =>
      t(
        '{count, plural, one {# open withdrawal goes to a wallet on a sanctions list} other {# open withdrawals go to wallets on sanctions lists}}',
        { count },
      ),
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'case.waiting': {
    label: msg('A monitoring case is open'),
    counted: count =>
      t('{count, plural, one {# monitoring case is open} other {# monitoring cases are open}}', { count }),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'monitoring.late': {
    label: msg('The rules of monitoring cannot read some accounts'),
    right: 'console',
    acts: 'care',
    email: 'on',
  },
  'check.waiting': {
    label: msg('An identity check waits for its decision'),
    counted: count =>
      t(
        '{count, plural, one {# identity check waits for its decision} other {# identity checks wait for their decision}}',
        { count },
      ),
    right: 'identity',
    acts: 'identity',
    email: 'on',
  },
  'payout.differing': {
    label: msg('A payout needs a review'),
    counted: count =>
      t('{count, plural, one {# payout batch needs a review} other {# payout batches need a review}}', {
        count,
      }),
    right: 'console',
    acts: 'decide',
    email: 'on',
  },
  'outgoing.unexplained': {
    label: msg('No payout explains a transaction'),
    right: 'console',
    acts: 'manage',
    email: 'own',
  },
  'network.failing': {
    label: msg('The sync of a network fails'),
    right: 'console',
    acts: 'manage',
    email: 'on',
  },
  'books.differing': {
    label: msg('The check of the books finds a fault'),
    right: 'console',
    acts: 'manage',
    email: 'on',
  },
  'job.failed': {
    label: msg('A job or an email has failed for good'),
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
