import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { defineCall } from './define.ts'
import { timestamp } from './fields.ts'

const reached = z.object({ epoch: z.int(), at: timestamp }).nullable()

/** How publishing the books goes, for the console. */
export const proofStatus = defineCall({
  id: 'proof.status',
  method: 'GET',
  path: '/proof/status',
  permission: 'console',
  summary:
    'How publishing the books goes: the newest epoch, who has cosigned and dated it, copies, and problems',
  message: msg('Public proof'),
  data: z.object({
    /** When the open epoch ends; null before the first transaction. */
    nextEndsAt: timestamp.nullable(),
    newest: z
      .object({
        epoch: z.int(),
        /** The UTC day that it ends. */
        day: z.string(),
        signedAt: timestamp,
        /** Leaves of the log, and the root over them in base64. */
        size: z.int(),
        root: z.string(),
      })
      .nullable(),
    /** Those of the configured policy. */
    witnesses: z.array(
      z.object({
        name: z.string(),
        state: z
          .enum(['cosigned', 'waiting', 'unreachable', 'refused', 'forked'])
          .describe('Of the newest epoch; `forked`: it has cosigned another history'),
        newest: reached,
        missingSince: timestamp.nullable().describe('When the first epoch was signed that it lacks'),
        problem: z.string().nullable(),
      }),
    ),
    /** Auditors who have cosigned, and the configured one. */
    auditors: z.array(z.object({ name: z.string(), isConfigured: z.boolean(), newest: reached })),
    /** Authorities that have dated checkpoints, and the configured one. */
    authorities: z.array(
      z.object({
        name: z.string(),
        isConfigured: z.boolean(),
        newest: reached,
        missingSince: timestamp.nullable(),
        problem: z.string().nullable(),
      }),
    ),
    /** Buckets and folders that got the files. */
    copies: z.array(
      z.object({
        place: z.string(),
        isBucket: z.boolean(),
        newest: reached,
        problem: z.string().nullable(),
      }),
    ),
    /** What keeps the log or a proof of reserves from being published. */
    problems: z.array(
      z.object({
        kind: z.enum(['signing', 'writing', 'overdue', 'reserves']),
        reason: z.string().nullable(),
        since: timestamp,
      }),
    ),
  }),
})
