import { z } from 'zod'
import { type ErrorCode, errorStatus } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { longestBulkBody, maximumBulk } from '#shared/limits.ts'
import { id } from './fields.ts'

/** What the calls that act on many records share: `deposit.approveMany` and others. */

/**
 * Up to `maximumBulk` records, each once, with what the single call's body says about one alone.
 * @param own its fields
 */
export function bulkRecords<Own extends z.ZodRawShape>(own: Own) {
  return z
    .array(z.strictObject({ id, ...own }))
    .min(1, { error: () => t('Send at least one record') })
    .max(maximumBulk, { error: () => t('Send at most {maximum} records', { maximum: maximumBulk }) })
    .refine(hasEachOnce, { error: () => t('Send each record once') })
}

function hasEachOnce(records: readonly { id?: unknown }[]): boolean {
  return new Set(records.map(record => record.id)).size === records.length
}

const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]

/** Of each record, in the order given. A refused one is unchanged. */
export const bulkResults = z.array(
  z.object({
    id: z.uuid(),
    done: z.boolean(),
    /** As the single call's. */
    message: z.string(),
    /** It is done as the first of two approvals: a second person must do it too. */
    needsSecondApproval: z.boolean(),
    code: z.enum(errorCodes).nullable(),
    reason: z.string().nullable(),
  }),
)
export type BulkResult = z.output<typeof bulkResults>[number]
export type BulkBody = { records: ({ id: string } & Record<string, unknown>)[]; reason?: string | undefined }

/** Each record has its own result, so nothing but a malformed request is refused as a whole. */
export const bulkCall = {
  method: 'POST',
  permission: 'decide',
  money: true,
  maximumBody: longestBulkBody,
  data: bulkResults,
} as const

/** @param one the single call's id */
export function bulkSummary(one: string): string {
  return `Does what \`${one}\` does for up to ${maximumBulk} records, in the order given, and answers the outcome of each; a refusal of one does not affect the others. Repeated with the same Idempotency-Key, it goes on where it was interrupted`
}
