import { t } from '#shared/i18n/t.ts'
import { type NameList, publisherOf } from '#shared/sanctions.ts'
import { capital } from '#web/ui/capital.ts'

/** A list by its publisher: 'The European Union'. */
export function publisherWords(list: NameList): string {
  return capital(publisherOf(list))
}

/** 'The European Union, entry EU.27.28'. */
export function entryWords({ list, entry }: { list: NameList; entry: string }): string {
  return t('{publisher}, entry {entry}', { publisher: publisherWords(list), entry })
}

/** '93 of 100'. */
export function scoreWords(score: number): string {
  return t('{score} of 100', { score })
}
