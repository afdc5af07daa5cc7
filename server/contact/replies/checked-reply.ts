import { mailAddressOf } from '#server/config/environment.ts'
import type { Services } from '#server/context.ts'
import { fileOfOtherType, fileTooLarge, refuseMalware } from '#server/platform/uploaded-file.ts'
import { wholeFile } from '#server/platform/whole-file.ts'
import { tooManyFiles, writeMessage } from '#shared/contract/conversations.ts'
import { AppError } from '#shared/errors.ts'
import { attachmentTypes } from '#shared/evidence.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { maximumAttachmentBytes, maximumAttachments, maximumReplyBytes } from '#shared/limits.ts'
import type { Reply } from './read-reply.ts'
import { readInThread } from './read-thread.ts'
import type { Recipient } from './recipient.ts'

/** A message of the mailbox. */
export type Message = {
  /** Its beginning, with all headers. */
  head: Uint8Array
  bytes: number
  /** Loads all of it. */
  source: () => Promise<Uint8Array>
}

const noFiles = msg('We take files only from people with an account. Please send it without.')
const noWords = msg('We found no words of yours in it. Please write them above our email.')

/**
 * What a person wrote in a message, if the page would take it.
 * @throws AppError with what they can do, or not_ready
 */
export async function checkedReply(services: Services, person: Recipient, message: Message): Promise<Reply> {
  const { text, files } = await wordsIn(services, message)
  if (person.userId === null && files.length > 0) throw new AppError('invalid_input', translate(noFiles))
  for (const file of files) await requireGood(services, person, file)
  return { text, files }
}

async function wordsIn({ config }: Services, { bytes, source }: Message): Promise<Reply> {
  if (bytes > maximumReplyBytes) throw fileTooLarge(maximumAttachmentBytes)
  const sender = mailAddressOf(config.smtp!.from).toLowerCase()
  const reply = await readInThread({ source: await source(), sender })
  if (reply === null) throw new AppError('invalid_input', t('We could not read it.'))
  if (reply.text === '') throw new AppError('invalid_input', translate(noWords))
  const text = writeMessage.body.shape.text.safeParse(reply.text)
  if (!text.success) throw new AppError('invalid_input', text.error.issues[0]!.message)
  if (reply.files.length > maximumAttachments) throw new AppError('invalid_input', tooManyFiles())
  return { ...reply, text: text.data }
}

/** The checks of an upload, with the file's name in front. */
async function requireGood(
  { config: { clamd }, log }: Services,
  { userId }: Recipient,
  file: Reply['files'][number],
): Promise<void> {
  try {
    if (!attachmentTypes.some(type => type === file.type)) throw fileOfOtherType(attachmentTypes)
    if (file.content.length > maximumAttachmentBytes) throw fileTooLarge(maximumAttachmentBytes)
    wholeFile(attachmentTypes, file, 'file')
    if (clamd === null) return
    await refuseMalware(clamd, file.content, 'file', malware => {
      log.warn({ malware, userId }, 'a file with malware was refused')
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_ready') throw error
    throw new AppError(
      error.code,
      t('The file “{name}”: {problem}', { name: file.name, problem: error.message }),
    )
  }
}
