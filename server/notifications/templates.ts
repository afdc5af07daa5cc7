import { accountTemplates } from '#server/accounts/notifications.ts'
import { messageTemplates } from '#server/contact/notifications.ts'
import { depositTemplates } from '#server/deposits/notifications.ts'
import { earningTemplates } from '#server/earnings/notifications.ts'
import { goalTemplates } from '#server/goals/notifications.ts'
import { checkTemplates } from '#server/identity/notifications.ts'
import { investmentTemplates } from '#server/investments/notifications.ts'
import { termsTemplates } from '#server/policies/notifications.ts'
import { matchTemplates } from '#server/screening/notifications.ts'
import { staffTemplates } from '#server/staff/notifications.ts'
import { addressTemplates, withdrawalTemplates } from '#server/withdrawals/notifications.ts'
import type { Db, NotificationText, RecordTemplates } from './template.ts'

/** Every kind of record with its events; each domain words its own. */
const templates = {
  deposit: depositTemplates,
  investment: investmentTemplates,
  withdrawal: withdrawalTemplates,
  earning: earningTemplates,
  address: addressTemplates,
  goal: goalTemplates,
  message: messageTemplates,
  check: checkTemplates,
  match: matchTemplates,
  terms: termsTemplates,
  ...accountTemplates,
  ...staffTemplates,
}

type Templates = typeof templates
/** `record.event`, for each event that has a template. */
export type TemplateKind = {
  [Record in keyof Templates]: `${Record}.${keyof Templates[Record]['events'] & string}`
}[keyof Templates]

/** Writes an event in the language of the moment. */
export type Writer = () => NotificationText

/** What writes one event for these records, by id; absent for a session or passkey that is no longer stored. */
export async function writersOf(
  db: Db,
  kind: TemplateKind,
  ids: string[],
  now: Date,
): Promise<Map<string, Writer>> {
  const [record, event] = kind.split('.') as [keyof Templates, string]
  const { load, events } = templates[record] as unknown as RecordTemplates<{ id: string }, string>
  const rows = await load(db, ids)
  return new Map(rows.map(row => [row.id, () => events[event]!(row, now)]))
}

/** The texts in the current language. */
export async function textsOf(
  db: Db,
  kind: TemplateKind,
  ids: string[],
  now: Date,
): Promise<Map<string, NotificationText>> {
  const writers = await writersOf(db, kind, ids, now)
  return new Map([...writers].map(([id, write]) => [id, write()]))
}
