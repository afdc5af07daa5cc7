import { z } from 'zod'
import { defineCall } from './define.ts'

const included = { leaf: z.string(), index: z.string(), path: z.string() }

/** What an investor needs to check the latest epoch without us: a saved proof (docs/proof-format.md). Integers as text. */
const savedProof = z.object({
  format: z.literal('probity-proof/v1'),
  vkey: z.string(),
  checkpoint: z.string(),
  owner: z.string(),
  email: z.string(),
  accountNumber: z.string(),
  /** By which only the investor finds their lines: base64 of 32 bytes. */
  secret: z.string(),
  epoch: z.object(included),
  transactions: z.array(
    z.object({
      ...included,
      epoch: z.string(),
      legs: z.array(
        z.object({
          line: z.string(),
          kind: z.string(),
          version: z.string(),
          amount: z.string(),
          balance: z.string(),
        }),
      ),
    }),
  ),
  shares: z.array(
    z.object({
      index: z.string(),
      value: z.string(),
      path: z.array(z.object({ digest: z.string(), value: z.string() })),
    }),
  ),
  /** Hashes that prove that the log of `since` leaves is the beginning of this one. */
  consistency: z.array(z.string()),
})
export type OwnProof = z.output<typeof savedProof>

export const ownProof = defineCall({
  id: 'proof.own',
  method: 'GET',
  path: '/proof/own',
  permission: 'account',
  summary:
    "The caller's lines in the public log and parts in its latest tree of liabilities, with all that proves them; null before the first epoch ends",
  message: 'Proof',
  query: z.object({
    /** The size of the log that the caller saw last. */
    since: z
      .string()
      .regex(/^(0|[1-9]\d{0,14})$/, 'since must be a number of leaves')
      .transform(Number)
      .default(0),
  }),
  data: savedProof.nullable(),
})
