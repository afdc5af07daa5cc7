import type { IdentityFile } from '#shared/contract/identity.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { type filesFor, type IdentityFileKind, isSingle, missingFileWords } from '#shared/identity.ts'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'

export const waitWords = () => t('Wait until this file is uploaded')

/** Files that were sent before and are sent again: those needed that no added one replaces. */
export function idsToKeep(
  kept: readonly IdentityFile[],
  files: readonly IdentityFile[],
  needed: readonly IdentityFileKind[],
): string[] {
  const isReplaced = (kind: IdentityFileKind) => isSingle(kind) && files.some(file => file.kind === kind)
  return kept.filter(({ kind }) => needed.includes(kind) && !isReplaced(kind)).map(({ _id }) => _id)
}

/**
 * Errors at the fields of files that are not uploaded yet.
 * @param uploading the field whose file is on its way, or ''
 */
export function missingFiles(
  needed: ReturnType<typeof filesFor>,
  files: readonly IdentityFile[],
  uploading: string,
): ValidationError | undefined {
  const kinds = Object.keys(needed) as IdentityFileKind[]
  const absent = kinds.filter(kind => !files.some(file => file.kind === kind))
  return mergeErrors(
    uploading === '' ? undefined : fieldError(uploading, waitWords()),
    ...absent.map(kind => fieldError(kind, translate(missingFileWords[kind]))),
  )
}
