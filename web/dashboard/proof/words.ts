import { t } from '#shared/i18n/t.ts'
import type { Step } from './check.ts'

/** What a failed check says first: no more than its step shows. */
export function headlineOf(step: Step): string {
  if (step === 'recent') return t('Nothing new has been published for days')
  const isOfPublished = step === 'signature' || step === 'public' || step === 'witnesses'
  return isOfPublished
    ? t('The published books did not pass the check')
    : t('The published books do not fit yours')
}
