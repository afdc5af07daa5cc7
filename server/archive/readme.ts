import type { SignedInContext } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { t } from '#shared/i18n/t.ts'
import { archivedLetters, endedSessionDays, maximumPdfLines, readNotificationDays } from '#shared/limits.ts'
import { leftOut } from './left-out.ts'
import type { ArchiveTable, Source } from './table.ts'
import { cellsOf } from './writing.ts'

/** The archive's README.txt, in plain words of the current language. */
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
  const demonstration = config.mode === 'demo' ? ['', t('This is a demonstration, not a real firm.')] : []
  return [
    t('All data that {firm} holds about {name} ({email})', { firm: firm.legalName, name, email }),
    t('As of {moment}, all of it at the same moment.', { moment: now.toISOString() }),
    ...demonstration,
    '',
    t('Keep this archive where only you can open it.'),
    t('Questions: {email}', { email: firm.supportEmail }),
    '',
    ...folders(zone),
    ...howToRead(),
    ...tables.flatMap(wordsOf),
    '',
    ...absent(),
    '',
  ].join('\r\n')
}

function folders(zone: string): string[] {
  return [
    t('THE FOLDERS'),
    folder(
      'data/',
      t(
        'Your records. Each table is there twice: .csv opens in a spreadsheet, .json is for programs. Both have the same names.',
      ),
    ),
    folder(
      'files/',
      t('The files of your conversations with us. data/messages says which message has which.'),
    ),
    folder(
      'identity/',
      t(
        'What you sent to prove who you are and where your money comes from. data/identity says which proof has which.',
      ),
    ),
    folder(
      'yearly-statements/',
      t(
        'What you paid in, earned and withdrew in each calendar year ({zone}). A year with more than {maximum, number} postings has none; data/postings has them all.',
        { zone, maximum: maximumPdfLines },
      ),
    ),
    folder(
      'letters/',
      t(
        'A letter for each approved investment, the newest {count, number}. The page of an investment has its letter too.',
        { count: archivedLetters },
      ),
    ),
    '',
  ]
}

const folder = (name: string, about: string) => `${name.padEnd(20)}${about}`

function howToRead(): string[] {
  return [
    t('HOW TO READ THE TABLES'),
    t('Times are UTC, as ISO 8601: 2026-01-31T12:00:00.000Z.'),
    t(
      'A name that ends in Cents or Units is an exact whole number. In JSON it is a text, because numbers there are not always exact. The name without it is the same amount as a decimal.',
    ),
    t(
      'In CSV, an apostrophe before a text keeps a spreadsheet from taking it for a formula. Nothing between two commas means that there is no value; JSON says null.',
    ),
    '',
    t('THE TABLES IN data/'),
  ]
}

function absent(): string[] {
  const reasons = [
    ...leftOut.map(({ why }) => why()),
    t(
      'Messages sent with the public contact form: anyone can write your email address there, so we cannot tell which are yours. Ask us for them.',
    ),
    t(
      'What we have deleted: sessions {sessions, number} days after they ended, for example, and notifications {notifications, number} days after you read them.',
      { sessions: endedSessionDays, notifications: readNotificationDays },
    ),
  ]
  return [t('WHAT IS NOT IN IT, AND WHY'), ...reasons.map(reason => `- ${reason}`)]
}

function wordsOf(table: ArchiveTable): string[] {
  const cells = cellsOf(table)
  const width = Math.max(...cells.map(({ name }) => name.length)) + 2
  return ['', table.name, table.about(), ...cells.map(({ name, about }) => `  ${name.padEnd(width)}${about}`)]
}
