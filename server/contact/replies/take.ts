import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { accountClosed } from '#server/accounts/closing.ts'
import { storeAttachment } from '#server/contact/attachments.ts'
import { writeForVisitor, writeInConversation } from '#server/contact/conversations.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { inLanguage } from '#server/platform/language.ts'
import { uploadAttachment, writeMessage } from '#shared/contract/conversations.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { checkedReply, type Message } from './checked-reply.ts'
import { type Envelope, envelopeOf } from './envelope.ts'
import type { Reply } from './read-reply.ts'
import { type Recipient, recipientOf, type Unmatched } from './recipient.ts'
import { tellRefused } from './refused-mail.ts'

/** The limits of the page's calls, which hold for emails too (server/http/limits.ts). */
export type LimitCall = (
  call: CallDefinition,
  ctx: Pick<RequestContext, 'services' | 'caller' | 'ip'>,
) => Promise<void>

/**
 * `taken`: its words are in the conversation. `refused`: the person was told why they are not, and what to do. `unmatched`: it is
 * nobody's answer, and nobody was told.
 */
export type Outcome = 'taken' | 'refused' | 'unmatched'

/**
 * Takes a message of the mailbox into its conversation, once, however often it is called.
 * @throws Error if it should be tried again
 */
export async function takeReply(
  services: Services,
  message: Message,
  limitCall: LimitCall,
): Promise<Outcome> {
  const envelope = await envelopeOf(message.head)
  const person = await recipientOf(services, envelope)
  if (typeof person === 'string') return leave(services, person)
  return inLanguage(person.language, () =>
    takeFrom(services, message, { person, envelope: envelope!, limitCall }),
  )
}

type Found = { person: Recipient; envelope: Envelope; limitCall: LimitCall }

/** In the language of the person, who may read why it was refused. */
async function takeFrom(
  services: Services,
  message: Message,
  { person, envelope, limitCall }: Found,
): Promise<Outcome> {
  const hash = hashOf(person, envelope)
  const before = await outcomeOf(services.db, hash)
  if (before !== undefined) return before
  const ctx = contextOf(services, person)
  try {
    // Tokens are forwarded, and anybody can write a From: only both together write.
    if (!person.isFromThem) throw new AppError('forbidden', translate(otherAddress))
    if (!person.hasToken) throw new AppError('forbidden', translate(formerToken))
    return await write(ctx, person, { message, hash, limitCall })
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_ready') throw error
    return await refuse(ctx, person, hash, error)
  }
}

function leave({ log }: Services, why: Unmatched): Outcome {
  log.info({ why }, 'a message in the mailbox of replies is nobody’s answer')
  return 'unmatched'
}

/** Under which a message is taken once. Nobody can use up the ids of another conversation, or of another author. */
function hashOf({ conversation }: Recipient, { from, fingerprint }: Envelope): Buffer {
  return createHash('sha256').update(conversation).update(fingerprint).update(`${from}`).digest()
}

async function outcomeOf(db: Kysely<Schema>, hash: Buffer): Promise<Outcome | undefined> {
  const row = await db
    .selectFrom('app.received_replies')
    .select('entry_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return row.entry_id === null ? 'refused' : 'taken'
}

/** As if they had written on the page. A visitor has the limits of an account for each conversation. */
function contextOf(services: Services, { userId, conversation }: Recipient): SignedInContext {
  return {
    services,
    caller: { userId: userId ?? conversation, role: null, sessionId: '' },
    requestId: newId(services.clock.now()),
    ip: '',
    userAgent: null,
    idempotency: null,
    reason: null,
    log: services.log,
  }
}

const otherAddress = msg(
  'It is from another address than this one, so we cannot know whether you wrote it. Answer from this address.',
)
const formerToken = msg('We no longer know the address that you sent it to. Answer a newer email of ours.')

type Taking = { message: Message; hash: Buffer; limitCall: LimitCall }

/** @throws AppError with what the sender can do, or not_ready */
async function write(
  ctx: SignedInContext,
  person: Recipient,
  { message, hash, limitCall }: Taking,
): Promise<Outcome> {
  const { services } = ctx
  if (person.closedAt !== null) throw await accountClosed(services.db, services, person.closedAt)
  const reply = await checkedReply(services, person, message)
  // After all that may have to wait: each try would count.
  await limitCall(writeMessage, ctx)
  for (const _ of reply.files) await limitCall(uploadAttachment, ctx)
  return services.db.transaction().execute(async tx => {
    const before = await firstTime(tx, hash)
    if (before !== undefined) return before
    const entry = await writeEntry(tx, ctx, person, reply)
    await keep(tx, ctx, person, hash, entry)
    return 'taken'
  })
}

async function writeEntry(
  tx: Tx,
  ctx: SignedInContext,
  { userId, conversation }: Recipient,
  { text, files }: Reply,
): Promise<string> {
  if (userId === null) return writeForVisitor(tx, ctx, conversation, text)
  const ids: string[] = []
  for (const { name, ...upload } of files) {
    const { _id } = await storeAttachment(tx, ctx, name, { ...upload, content: Buffer.from(upload.content) })
    ids.push(_id)
  }
  return writeInConversation(tx, ctx, conversation, { text, files: ids })
}

/** Serialises the tries of one message. @returns what an earlier one came to */
async function firstTime(tx: Tx, hash: Buffer): Promise<Outcome | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${hash.toString('hex')}, 0))`.execute(tx)
  return outcomeOf(tx, hash)
}

async function keep(
  tx: Tx,
  { services }: SignedInContext,
  { conversation }: Recipient,
  hash: Buffer,
  entry: string | null,
): Promise<void> {
  await tx
    .insertInto('app.received_replies')
    .values({ hash, message_id: conversation, entry_id: entry, received_at: services.clock.now() })
    .execute()
}

function refuse(ctx: SignedInContext, person: Recipient, hash: Buffer, refusal: AppError): Promise<Outcome> {
  const { db, log } = ctx.services
  log.info({ code: refusal.code }, 'a reply by email was refused')
  return db.transaction().execute(async tx => {
    const before = await firstTime(tx, hash)
    if (before !== undefined) return before
    await keep(tx, ctx, person, hash, null)
    await tellRefused(tx, ctx, person, refusal)
    return 'refused'
  })
}
