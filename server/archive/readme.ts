import type { SignedInContext } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { archivedLetters, endedSessionDays, maximumPdfLines, readNotificationDays } from '#shared/limits.ts'
import { leftOut } from './left-out.ts'
import type { ArchiveTable, Source } from './table.ts'
import { cellsOf } from './writing.ts'

/** The archive's README.txt, in plain words. */
export async function readmeOf(
  { services: { config } }: SignedInContext,
  { tx, userId, now }: Source,
  zone: string,
  tables: readonly ArchiveTable[],
): Promise<string> {
  const { name, email } = await tx
    .selectFrom('app.users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const firm = await currentFirm(tx, config)
  const demonstration = config.mode === 'demo' ? ['', 'This is a demonstration, not a real firm.'] : []
  return [
    `All data that ${firm.legalName} holds about ${name} (${email})`,
    `As of ${now.toISOString()}, all of it at the same moment.`,
    ...demonstration,
    '',
    'Keep this archive where only you can open it.',
    `Questions: ${firm.supportEmail}`,
    '',
    ...folders(zone),
    ...tables.flatMap(wordsOf),
    '',
    'WHAT IS NOT IN IT, AND WHY',
    ...leftOut.map(({ why }) => `- ${why}`),
    '- Messages sent with the public contact form: anyone can write your email address there, so we cannot tell which are yours. Ask us for them.',
    `- What we have deleted: sessions ${endedSessionDays} days after they ended, for example, and notifications ${readNotificationDays} days after you read them.`,
    '',
  ].join('\r\n')
}

function folders(zone: string): string[] {
  return [
    'THE FOLDERS',
    'data/               Your records. Each table is there twice: .csv opens in a spreadsheet, .json is for programs. Both have the same names.',
    'files/              The files of your conversations with us. data/messages says which message has which.',
    'identity/           What you sent to prove who you are and where your money comes from. data/identity says which proof has which.',
    `yearly-statements/  What you paid in, earned and withdrew in each calendar year (${zone}). A year with more than ${maximumPdfLines} postings has none; data/postings has them all.`,
    `letters/            A letter for each approved investment, the newest ${archivedLetters}. The page of an investment has its letter too.`,
    '',
    'HOW TO READ THE TABLES',
    'Times are UTC, as ISO 8601: 2026-01-31T12:00:00.000Z.',
    'A name that ends in Cents or Units is an exact whole number. In JSON it is a text, because numbers there are not always exact. The name without it is the same amount as a decimal.',
    'In CSV, an apostrophe before a text keeps a spreadsheet from taking it for a formula. Nothing between two commas means that there is no value; JSON says null.',
    '',
    'THE TABLES IN data/',
  ]
}

function wordsOf(table: ArchiveTable): string[] {
  const cells = cellsOf(table)
  const width = Math.max(...cells.map(({ name }) => name.length)) + 2
  return ['', table.name, table.about, ...cells.map(({ name, about }) => `  ${name.padEnd(width)}${about}`)]
}
