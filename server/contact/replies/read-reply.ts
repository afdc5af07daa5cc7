import { compile } from 'html-to-text'
import PostalMime, { type Attachment } from 'postal-mime'
import { attachmentTypes, fileKinds } from '#shared/evidence.ts'
import { maximumAttachments } from '#shared/limits.ts'
import { withoutQuote } from './quote.ts'

/** What a person wrote in an email, without what they quote of ours, and the files that they sent with it. */
export type Reply = { text: string; files: { name: string; type: string; content: Uint8Array }[] }

/** An email as it was sent, and our address, which it may quote. */
export type Message = { source: Uint8Array; sender: string }

/** Levels of parts within parts: mail programs use three or four. */
const DEEPEST = 20
const MOST_HEADER_BYTES = 256 * 1024

/** Quotes get a > before each line. Of links and pictures only the words stay. */
const textOf = compile({
  wordwrap: false,
  limits: { maxInputLength: 1024 * 1024, maxDepth: 200 },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({
      selector,
      options: { uppercase: false },
    })),
  ],
})

/** Parts that mail programs add by themselves: signatures and business cards. */
const added = /^(application\/(x-)?pkcs7-signature|application\/pgp-(signature|keys)|text\/(x-)?vcard)$/

/**
 * @returns one file more than a message may have, if it has too many
 * @throws Error if it is nested too deeply or has too many headers
 */
export async function readReply({ source, sender }: Message): Promise<Reply> {
  const { text, html, attachments } = await PostalMime.parse(source, {
    maxNestingDepth: DEEPEST,
    maxHeadersSize: MOST_HEADER_BYTES,
    // A forwarded message is not what this person wrote.
    forceRfc822Attachments: true,
  })
  const words = text ?? (html === undefined ? '' : textOf(html))
  const files = attachments.filter(isSent).slice(0, maximumAttachments + 1)
  return { text: withoutQuote(storable(words), sender), files: files.map(fileOf) }
}

/** Pictures within the text are mostly logos of signatures, and of the email that is answered. */
function isSent({ related, mimeType, filename }: Attachment): boolean {
  const isFooter = filename === null && mimeType.startsWith('text/')
  return !related && !isFooter && !added.test(mimeType)
}

function fileOf({ filename, mimeType, content }: Attachment): Reply['files'][number] {
  const name = storable(filename ?? 'file')
  // Without an encoding asked for, the content is never a text.
  return { name, type: typeOf(name, mimeType), content: new Uint8Array(content as ArrayBuffer) }
}

/** Some programs do not say what a file is: then its ending does. */
function typeOf(name: string, mimeType: string): string {
  if (mimeType === 'image/jpg') return 'image/jpeg'
  if (mimeType !== 'application/octet-stream') return mimeType
  const ending = name.toLowerCase().replace(/\.jpeg$/, '.jpg')
  return attachmentTypes.find(type => ending.endsWith(fileKinds[type].ending)) ?? mimeType
}

/** As PostgreSQL can store it. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
