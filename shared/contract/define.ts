import { z } from 'zod'
import type { ErrorCode } from '#shared/errors.ts'
import type { AttachmentType } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { defaultPageLimit, longestSearch, maximumPageLimit } from '#shared/limits.ts'
import type { Right } from '#shared/roles.ts'

/**
 * Who may make a call, checked first by the server: 'public' everyone; 'account' signed-in users, for their own
 * records; otherwise staff whose role gives the right.
 */
export type Permission = 'public' | 'account' | Right

export type FileType =
  | 'text/csv'
  | 'application/pdf'
  | 'application/zip'
  | 'image/png'
  | 'image/jpeg'
  | 'application/json'
  | 'application/octet-stream'
  | 'text/plain'
/** An uploaded file. */
export type UploadedFile = { type: string; content: Uint8Array }

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One API call: the single definition of its path, permission and shapes, used by server, client and OpenAPI. */
export type CallDefinition = {
  /** Unique name, `feature.verb`; OpenAPI's operationId. */
  readonly id: string
  readonly method: Method
  /** Below /api, with parameters like `/withdrawal/approve/:id`. */
  readonly path: string
  readonly permission: Permission
  /** A public call that receives the caller if a valid token is sent. */
  readonly knowsCaller?: true
  /** Needs a right, and is about the person who calls: no API key makes it. */
  readonly personal?: true
  /** The caller's email address must be verified (D9, D-25). */
  readonly verified?: boolean
  /** Moves money or cannot be undone: honours the Idempotency-Key header (D8, B-06). */
  readonly money?: boolean
  /** Returns `page` beside `data`; takes `listQuery` or part of it. */
  readonly list?: boolean
  /** Returns a stream of events, each with `data`. */
  readonly stream?: boolean
  /** Returns a file of this type, named in its Content-Disposition. */
  readonly file?: FileType | readonly FileType[]
  /** The request's body is a file of one of these types and at most this size; a refusal names the field. */
  readonly upload?: {
    readonly field: string
    readonly types: readonly AttachmentType[]
    readonly maximumBytes: number
  }
  /** Size of the request in bytes, if it can be larger than usual. */
  readonly maximumBody?: number
  readonly summary: string
  /** Success message, shown by the pages as a toast. */
  readonly message: string
  /** Success message by outcome, for example after a first of two approvals. */
  readonly messageFor?: (data: never) => string | undefined
  /** True after the first of two approvals: a second person must do it too. */
  readonly needsSecondApproval?: (data: never) => boolean
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** `fileContent` for a file. */
  readonly data: z.ZodType
  /** Error codes beyond the general ones (invalid input, not signed in, forbidden, rate limited). */
  readonly refusals?: readonly ErrorCode[]
}

/** Keeps a definition's literal types for client and server. */
export function defineCall<const C extends CallDefinition>(definition: C): C {
  return definition
}

type Shape<T> = T extends z.ZodType ? z.output<T> : undefined
type Given<T> = T extends z.ZodType ? z.input<T> : undefined
type Present<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** A handler's parsed input. */
export type ParsedInput<C extends CallDefinition> = Present<{
  params: Shape<C['params']>
  query: Shape<C['query']>
  body: C['upload'] extends object ? UploadedFile : Shape<C['body']>
}>
/** Makes parts without required fields optional. */
type Lenient<T> = { [K in keyof T as object extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as object extends T[K] ? K : never]?: T[K]
}
/** A client's input. */
export type CallInput<C extends CallDefinition> = Lenient<
  Present<{
    params: Given<C['params']>
    query: Given<C['query']>
    body: C['upload'] extends object ? Blob : Given<C['body']>
  }>
>
export type CallData<C extends CallDefinition> = z.output<C['data']>

/** Response type of a file download. */
export const fileContent = z.custom<Blob>(content => content instanceof Blob)

export const page = z.object({
  /** Opaque; null on the last page. */
  nextCursor: z.string().nullable(),
  total: z.int().describe('Number of rows in total'),
  totalIsAtLeast: z
    .literal(true)
    .optional()
    .describe('True if there are more rows than `total`, because counting stopped there'),
})
export type Page = z.output<typeof page>

/** The envelope around `data` (D8). */
export type Success<T> = { status: 'success'; message: string; data: T; page?: Page }
export type Failure = {
  status: 'error'
  message: string
  code: ErrorCode
  /** The cause, if a code has several (the domain's messages.ts). */
  reason?: string
  fields?: Record<string, string>
}

/** Maximum length of a cursor, which carries the sort value of its row. */
const longestCursor = 2000

/**
 * Query of every list call. Lists omit `q` or `status` if they have none; undeclared parameters are refused
 * (server/http/input.ts).
 */
export const listQuery = z.object({
  limit: z.coerce
    .number({ error: () => t('Limit must be a whole number') })
    .int({ error: () => t('Limit must be a whole number') })
    .min(1, { error: () => t('Limit must be at least 1') })
    .max(maximumPageLimit, {
      error: () => t('Limit can be at most {maximum}', { maximum: maximumPageLimit }),
    })
    .default(defaultPageLimit)
    .describe('Rows per page'),
  cursor: z
    .string()
    .max(longestCursor, { error: () => t('Cursor is not valid') })
    .optional()
    .describe("The previous page's `page.nextCursor`"),
  q: z
    .string()
    .trim()
    .max(longestSearch, {
      error: () => t('Search text can have at most {maximum} characters', { maximum: longestSearch }),
    })
    .regex(/^[^\p{Cc}]*$/u, { error: () => t('Search text has characters that cannot be used') })
    .optional()
    .describe('Only rows that contain this text, in any case, or have this id'),
  status: z
    .string()
    .max(40, { error: () => t('Status is not valid') })
    .optional()
    .describe('Only rows with this status; a refusal lists the valid ones'),
})
export type ListQuery = z.output<typeof listQuery>
