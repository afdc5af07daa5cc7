import { translatePolicy, type WrittenPolicy } from '#shared/contract/policies.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { policyTitles } from '#shared/policies.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import {
  changedTranslations,
  TextNow,
  TranslationFields,
  translationErrors,
  translationFields,
} from './translations.tsx'

const fields = [...translationFields, 'reason'] as const

type TranslateProps = { policy: WrittenPolicy; onClose: () => void }

/** Translations of a published version; each field begins with what is shown now. */
export function TranslateVersion({ policy, onClose }: TranslateProps) {
  const { kind, version, changes } = policy
  const hasChanges = changes !== null
  return (
    <ActionDialog
      call={translatePolicy}
      title={t('Translate {policy}, version {version}', { policy: translate(policyTitles[kind]), version })}
      description={t(
        'Readers see the translation instead of the English text once another admin approves it. A later one replaces it; what people have accepted stays recorded.',
      )}
      entries={[]}
      fields={fields}
      check={values => mergeErrors(translationErrors(values, hasChanges), reasonError(values))}
      confirm={t('Propose')}
      input={({ reason, ...values }) => ({
        body: { kind, version, translations: changedTranslations(values), reason },
      })}
      onClose={onClose}
      wide
    >
      <TextNow policy={policy} language={sourceLanguage} label={t('Read the original')} />
      <TranslationFields of={policy} hasChanges={hasChanges} />
      <ReasonField reader="log" />
    </ActionDialog>
  )
}
