import { listed } from '#shared/i18n/listed.ts'
import { t } from '#shared/i18n/t.ts'

/** What the bulk actions say. */

/**
 * '1 deposit', '12 deposits'
 * @param list its name in the address
 */
export function countOf(count: number, list: string): string {
  switch (list) {
    case 'deposits':
      return t('{count, plural, one {# deposit} other {# deposits}}', { count }, 'after a verb')
    case 'withdrawals':
      return t('{count, plural, one {# withdrawal} other {# withdrawals}}', { count }, 'after a verb')
    case 'investments':
      return t('{count, plural, one {# investment} other {# investments}}', { count }, 'after a verb')
    case 'earnings':
      return t('{count, plural, one {# earning} other {# earnings}}', { count }, 'after a verb')
    default:
      return t('{count, plural, one {# record} other {# records}}', { count }, 'after a verb')
  }
}

type VerbWords = {
  /** 'Approve 3 deposits' */
  of: (records: string) => string
  selected: () => string
  matching: () => string
  /** While it is done. */
  doing: () => string
  doingTo: (records: string) => string
  done: (records: string) => string
  /** No record can be acted on. */
  none: (records: string) => string
}

export const verbs = {
  Approve: {
    of: records => t('Approve {records}', { records }),
    selected: () => t('Approve selected'),
    matching: () => t('Approve all that match'),
    doing: () => t('Approving'),
    doingTo: records => t('Approving {records}', { records }),
    done: records => t('{records} approved', { records }),
    none: records => t('No matching {records} can be approved', { records }),
  },
  Decline: {
    of: records => t('Decline {records}', { records }),
    selected: () => t('Decline selected'),
    matching: () => t('Decline all that match'),
    doing: () => t('Declining'),
    doingTo: records => t('Declining {records}', { records }),
    done: records => t('{records} declined', { records }),
    none: records => t('No matching {records} can be declined', { records }),
  },
  Close: {
    of: records => t('Close {records}', { records }),
    selected: () => t('Close selected'),
    matching: () => t('Close all that match'),
    doing: () => t('Closing'),
    doingTo: records => t('Closing {records}', { records }),
    done: records => t('{records} closed', { records }),
    none: records => t('No matching {records} can be closed', { records }),
  },
  Credit: {
    of: records => t('Credit {records}', { records }),
    selected: () => t('Credit selected'),
    matching: () => t('Credit all that match'),
    doing: () => t('Crediting'),
    doingTo: records => t('Crediting {records}', { records }),
    done: records => t('{records} credited', { records }),
    none: records => t('No matching {records} can be credited', { records }),
  },
  'Mark paid': {
    of: records => t('Mark {records} as paid', { records }),
    selected: () => t('Mark selected as paid'),
    matching: () => t('Mark all that match as paid'),
    doing: () => t('Marking as paid'),
    doingTo: records => t('Marking as paid {records}', { records }),
    done: records => t('{records} marked as paid', { records }),
    none: records => t('No matching {records} can be marked as paid', { records }),
  },
} as const satisfies Record<string, VerbWords>

/** How records in each state are called after 'Select all'. */
const kinds = {
  pending: () => t('pending', {}, 'after select all'),
  approved: () => t('approved', {}, 'after select all'),
  matured: () => t('matured', {}, 'after select all'),
  differing: () => t('differing', {}, 'after select all'),
  creditable: () => t('creditable', {}, 'after select all'),
}
export type Kind = keyof typeof kinds

/** 'pending and matured' */
export function kindsOf(states: readonly Kind[]): string {
  return listed(
    [...new Set(states)].map(state => kinds[state]()),
    'and',
  )
}

export type Counts = { done: string; first: number; refused: number; unclear: number; unsent: number }

/** '2 deposits approved, 1 refused' */
export function resultWords({ done, first, refused, unclear, unsent }: Counts): string {
  const others = [
    first > 0 && t('{count, number} waiting for a second approval', { count: first }),
    refused > 0 && t('{count, number} refused', { count: refused }),
    unclear > 0 && t('{count, number} without an answer', { count: unclear }),
    unsent > 0 && t('{count, number} not sent', { count: unsent }),
  ]
  return listed([done, ...others.filter(words => words !== false)])
}
