import type { Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** A payout batch as its table has it, without the bytes of its file. */
export type BatchRow = Omit<Selectable<Schema['app.payout_batches']>, 'file'>
