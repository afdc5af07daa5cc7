import type { IdentityFile } from '#shared/contract/identity.ts'
import { type filesFor, type IdentityFileKind, identityFileLabels } from '#shared/identity.ts'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'

/** Errors at the fields of files that are not uploaded yet. */
export function missingFiles(
  needed: ReturnType<typeof filesFor>,
  files: readonly IdentityFile[],
): ValidationError | undefined {
  const kinds = Object.keys(needed) as IdentityFileKind[]
  const absent = kinds.filter(kind => !files.some(file => file.kind === kind))
  return mergeErrors(
    ...absent.map(kind =>
      fieldError(kind, `${identityFileLabels[kind]} is missing. Add a picture or a PDF of it.`),
    ),
  )
}
