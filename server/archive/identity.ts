import { sql } from 'kysely'
import { openProof } from '#server/identity/sealed.ts'
import { type AttachmentType, fileKinds } from '#shared/evidence.ts'
import { msg, t } from '#shared/i18n/t.ts'
import type { IdentityFileKind } from '#shared/identity.ts'
import { list, moment, object, text, word } from './columns.ts'
import { type ArchiveTable, rowsOf, type Source } from './table.ts'
import type { ZipFile } from './zip.ts'

const sealedRows = rowsOf(
  userId => sql`
    SELECT c.id, c.submitted_at AS sent, c.kind, coalesce(c.decision, 'waiting') AS status, c.decided_at AS decided, c.reason,
           c.expires_on::text AS "countsUntil", c.erased_at AS erased, c.sealed_answers AS answers,
           ARRAY(SELECT f.kind || '-' || f.id FROM app.identity_files f
                  WHERE f.check_id = c.id AND f.sealed_content IS NOT NULL ORDER BY f.id) AS files
      FROM app.identity_checks c WHERE c.user_id = ${userId} ORDER BY c.id`,
)

export const identity: ArchiveTable = {
  name: 'identity',
  about: () =>
    t(
      'What you sent to prove who you are and where your money comes from, and what we decided. Your pictures and documents are in the folder identity.',
    ),
  shows: ['app.identity_checks', 'app.identity_files'],
  columns: {
    sent: moment(msg('When you sent it')),
    kind: word(msg('identity or funds')),
    status: word(msg('waiting, verified, returned, refused or cancelled')),
    decided: moment(msg('When it was decided, or when you cancelled it')),
    reason: text(msg('The reason that was given')),
    countsUntil: word(msg('The last day, in UTC, on which it counts')),
    erased: moment(msg('When we deleted your answers and files')),
    answers: object(msg('What you answered')),
    files: list(msg('Your files in the folder identity')),
  },
  async *rows(source) {
    for await (const rows of sealedRows(source)) {
      yield rows.map(row => ({
        ...row,
        answers: row.answers === null ? null : opened(source, row.id as string, row.answers as Buffer),
      }))
    }
  },
}

function opened({ config }: Source, id: string, sealed: Buffer): object {
  return JSON.parse(openProof({ config }, id, sealed).toString()) as object
}

/** The files of those proofs, also of one that is not sent yet. */
export async function* identityFiles({ tx, userId, config }: Source): AsyncGenerator<ZipFile> {
  const files: { id: string; kind: IdentityFileKind; type: AttachmentType }[] = await tx
    .selectFrom('app.identity_files')
    .select(['id', 'kind', 'type'])
    .where('user_id', '=', userId)
    .where('sealed_content', 'is not', null)
    .orderBy('id')
    .execute()
  for (const { id, kind, type } of files) {
    const { sealed_content } = await tx
      .selectFrom('app.identity_files')
      .select('sealed_content')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const content = openProof({ config }, id, sealed_content!)
    yield { name: `identity/${kind}-${id}${fileKinds[type].ending}`, isPacked: true, parts: [content] }
  }
}
