import { z } from 'zod'
import type { ErrorCode } from '#shared/errors.ts'
import { defaultPageLimit, maximumPageLimit } from '#shared/limits.ts'
import type { Right } from '#shared/roles.ts'

/**
 * Who may make a call, checked by the server before anything else happens:
 * 'public' anybody; 'account' anybody signed in, for his own records only; else staff whose role gives that right.
 */
export type Permission = 'public' | 'account' | Right

export type FileType =
  | 'text/csv'
  | 'application/pdf'
  | 'image/png'
  | 'application/json'
  | 'application/octet-stream'
/** A file that was sent. */
export type UploadedFile = { type: string; content: Uint8Array }

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One call of the API: the single place where its path, its permission and its shapes are written down.
 * The server binds it, the web client is built from it, and OpenAPI is made of it.
 */
export type CallDefinition = {
  /** Unique name, `feature.verb`; OpenAPI's operationId. */
  readonly id: string
  readonly method: Method
  /** Below /api; parameters in the manner of `/withdrawal/approve/:id`. */
  readonly path: string
  readonly permission: Permission
  /** A public call that is told who calls where a good token comes with it; others do not look at it. */
  readonly knowsCaller?: true
  /** The caller's e-mail address must be verified (D9, D-25). */
  readonly verified?: boolean
  /** Moves money, creates a claim on it or does what cannot be taken back: honours the Idempotency-Key header (D8, B-06). */
  readonly money?: boolean
  /** Answers `page` beside `data`; takes `listQuery`, or the part of it that makes sense. */
  readonly list?: boolean
  /** Answers no JSON but a stream of events, each with `data`. */
  readonly stream?: boolean
  /** Answers no JSON but a file of this type, or of one of these, to be saved under the name in its Content-Disposition. */
  readonly file?: FileType | readonly FileType[]
  /** Takes no JSON but a file, which is the request's whole body: of these types, and of so many bytes at most. */
  readonly upload?: { readonly types: readonly FileType[]; readonly maximumBytes: number }
  readonly summary: string
  /** The success message on the wire, which the pages show as a toast. */
  readonly message: string
  /** Another success message, where the outcome is another one: a first approval of two. */
  readonly messageFor?: (data: never) => string | undefined
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** Of a file: `fileContent`. */
  readonly data: z.ZodType
  /** The refusals beyond the general ones (invalid input, not signed in, forbidden, rate limited). */
  readonly refusals?: readonly ErrorCode[]
}

/** Keeps the literal types of a definition, so that client and server are typed by it. */
export function defineCall<const C extends CallDefinition>(definition: C): C {
  return definition
}

type Shape<T> = T extends z.ZodType ? z.output<T> : undefined
type Given<T> = T extends z.ZodType ? z.input<T> : undefined
type Present<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** What a handler receives: the parsed parts that the call declares. */
export type ParsedInput<C extends CallDefinition> = Present<{
  params: Shape<C['params']>
  query: Shape<C['query']>
  body: C['upload'] extends object ? UploadedFile : Shape<C['body']>
}>
/** A part may be left out where nothing in it is required. */
type Lenient<T> = { [K in keyof T as object extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as object extends T[K] ? K : never]?: T[K]
}
/** What a client passes: the parts that the call declares. */
export type CallInput<C extends CallDefinition> = Lenient<
  Present<{
    params: Given<C['params']>
    query: Given<C['query']>
    body: C['upload'] extends object ? Blob : Given<C['body']>
  }>
>
export type CallData<C extends CallDefinition> = z.output<C['data']>

/** What a call answers that answers a file. */
export const fileContent = z.custom<Blob>(content => content instanceof Blob)

export const page = z.object({
  /** Opaque; null on the last page. */
  nextCursor: z.string().nullable(),
  total: z.int().describe('How many rows there are in all'),
  totalIsAtLeast: z.literal(true).optional().describe('There are more than were counted: at least `total`'),
})
export type Page = z.output<typeof page>

/** The answer around `data` (D8). */
export type Success<T> = { status: 'success'; message: string; data: T; page?: Page }
export type Failure = {
  status: 'error'
  message: string
  code: ErrorCode
  /** Why, where a code has several causes: of the domain's closed set (its messages.ts). */
  reason?: string
  fields?: Record<string, string>
}

/** Characters of a cursor: that of a sorted list carries the value that it is sorted by. */
const longestCursor = 2000

/**
 * The query of every list call. A list omits `q` where it cannot be searched and `status` where its rows have none: a
 * parameter that a call does not declare is refused (server/http/input.ts), never ignored.
 */
export const listQuery = z.object({
  limit: z.coerce
    .number('Limit must be a whole number')
    .int('Limit must be a whole number')
    .min(1, 'Limit must be at least 1')
    .max(maximumPageLimit, `Limit can be at most ${maximumPageLimit}`)
    .default(defaultPageLimit)
    .describe('Rows per page'),
  cursor: z
    .string()
    .max(longestCursor, 'Cursor is not valid')
    .optional()
    .describe("The previous page's `page.nextCursor`"),
  q: z
    .string()
    .trim()
    .max(100, 'Search text can have at most 100 characters')
    .regex(/^[^\p{Cc}]*$/u, 'Search text has characters that cannot be used')
    .optional()
    .describe('Shows the rows that contain this text, in any case, or that have this id'),
  status: z
    .string()
    .max(40, 'Status is not valid')
    .optional()
    .describe('Shows the rows of this status; a refusal names those that exist'),
})
export type ListQuery = z.output<typeof listQuery>
