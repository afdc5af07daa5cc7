import { type ReactNode, use, useState } from 'react'
import type { CallInput } from '#shared/contract/define.ts'
import {
  getPolicy,
  type PolicyTranslations,
  type PolicyVersion,
  type translatePolicy,
  type WrittenPolicy,
} from '#shared/contract/policies.ts'
import { type Language, type TranslatedLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { longestPolicy, longestPolicyChanges } from '#shared/limits.ts'
import { languageName } from '#web/admin/language-name.ts'
import { useRead } from '#web/api/read.ts'
import { Markdown } from '#web/components/markdown.tsx'
import { marksOf } from '#web/components/written-in.ts'
import { WrittenText } from '#web/components/written-text.tsx'
import { capital } from '#web/ui/capital.ts'
import { Field, FormErrors } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** `replaces`: the translation that a field began with, hidden. */
type Part = 'text' | 'changes' | 'replaces'
export type TranslationField = `translations.${TranslatedLanguage}.${Part}`

const nameOf = (language: TranslatedLanguage, part: Part): TranslationField =>
  `translations.${language}.${part}`
export const translationFields = translatedLanguages.flatMap(language => [
  nameOf(language, 'text'),
  nameOf(language, 'changes'),
  nameOf(language, 'replaces'),
])

type Values = Record<TranslationField, string>

/** Translations of a new version; a language left empty has none. */
export function newTranslations(values: Values): PolicyTranslations {
  const typed = translatedLanguages.flatMap(language => {
    const { text, changes } = partsOf(values, language)
    return text === '' ? [] : [[language, { text, changes: changes || null }]]
  })
  return Object.fromEntries(typed) as PolicyTranslations
}

/** Translations of a published version, with what each replaces; one that was emptied is removed. */
export function changedTranslations(values: Values) {
  const typed = translatedLanguages.flatMap(language => {
    const { text, changes, replaces } = partsOf(values, language)
    if (text === '' && replaces === '') return []
    return [[language, { text: text || null, changes: changes || null, replaces: replaces || null }]]
  })
  return Object.fromEntries(typed) as CallInput<typeof translatePolicy>['body']['translations']
}

function partsOf(values: Values, language: TranslatedLanguage) {
  const typed = (part: Part) => values[nameOf(language, part)].trim()
  return { text: typed('text'), changes: typed('changes'), replaces: typed('replaces') }
}

/** A translation has both its parts, or none. */
export function translationErrors(values: Values, hasChanges: boolean): ValidationError | undefined {
  return mergeErrors(
    ...translatedLanguages.map(language => {
      const { text, changes } = partsOf(values, language)
      const field = (part: Part, message: string) => fieldError(nameOf(language, part), message)
      if (!hasChanges || (text === '') === (changes === '')) return undefined
      return text === ''
        ? field('text', t('Translate the text, too'))
        : field('changes', t('Translate the summary of the changes, too'))
    }),
  )
}

type FieldsProps = {
  /** The published version; a new one has no translations yet. */
  of?: WrittenPolicy
  hasChanges: boolean
}

/** A text and a summary for each language, closed until they are needed. */
export function TranslationFields({ of, hasChanges }: FieldsProps) {
  return translatedLanguages.map(language => (
    <LanguageFields key={language} {...{ language, hasChanges }} of={of} />
  ))
}

type LanguageProps = {
  of: WrittenPolicy | undefined
  language: TranslatedLanguage
  hasChanges: boolean
}

function LanguageFields({ of, language, hasChanges }: LanguageProps) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const errors = use(FormErrors)
  const isWrong = nameOf(language, 'text') in errors || nameOf(language, 'changes') in errors
  const isTranslated = of?.translations.includes(language)
  const name = capital(languageName(language))
  return (
    <details
      open={isOpen || isWrong}
      onToggle={event => {
        setOpen(event.currentTarget.open)
        setOpened(true)
      }}
    >
      <summary className="prose-link mb-3 w-fit cursor-pointer">
        {isTranslated
          ? t('{language}: change the translation', { language: name })
          : t('{language}: add a translation', { language: name })}
      </summary>
      {of && isTranslated ? (
        wasOpened && (
          <Translation policy={of} language={language}>
            {shown => <Inputs {...{ language, hasChanges, ...(shown.translation && { shown }) }} />}
          </Translation>
        )
      ) : (
        <Inputs {...{ language, hasChanges }} />
      )}
    </details>
  )
}

type InputsProps = Omit<LanguageProps, 'of'> & { shown?: PolicyVersion }

function Inputs({ language, hasChanges, shown }: InputsProps) {
  const marks = marksOf(language)
  const name = languageName(language)
  return (
    <div className="grid gap-5">
      {shown && <input type="hidden" name={nameOf(language, 'replaces')} value={shown.translation ?? ''} />}
      <Field
        name={nameOf(language, 'text')}
        label={t('Text ({language})', { language: name })}
        hint={
          shown &&
          t(
            'Empty every field of this language to remove the translation: readers then see the English text.',
          )
        }
        optional
      >
        <Textarea {...marks} rows={10} maxLength={longestPolicy} defaultValue={shown?.text} />
      </Field>
      {hasChanges && (
        <Field
          name={nameOf(language, 'changes')}
          label={t('What changes ({language})', { language: name })}
          optional
        >
          <Textarea
            {...marks}
            rows={4}
            maxLength={longestPolicyChanges}
            defaultValue={shown?.changes ?? undefined}
          />
        </Field>
      )}
    </div>
  )
}

type TextProps = { policy: Pick<WrittenPolicy, 'kind' | 'version'>; language: Language }

/** A version as it is shown in a language now, loaded when it is opened. */
export function TextNow({ policy, language, label }: TextProps & { label: string }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details className="text-start" onToggle={() => setOpened(true)}>
      <summary className="prose-link mb-3 w-fit cursor-pointer">{label}</summary>
      {wasOpened && (
        <Translation policy={policy} language={language}>
          {shown => <PolicyText {...shown} />}
        </Translation>
      )}
    </details>
  )
}

/** The summary of the changes, if there is one, and the text. */
export function PolicyText({
  text,
  changes,
  language,
}: Pick<PolicyVersion, 'text' | 'changes' | 'language'>) {
  return (
    <div className="grid gap-3">
      {changes && (
        <div {...marksOf(language)}>
          <WrittenText>{changes}</WrittenText>
        </div>
      )}
      <Markdown text={text} language={language} />
    </div>
  )
}

type TranslationProps = TextProps & { children: (shown: PolicyVersion) => ReactNode }

/** The translation that is shown now. */
function Translation({ policy: { kind, version }, language, children }: TranslationProps) {
  const { data, isError, refetch } = useRead(getPolicy, { params: { kind }, query: { version, language } })
  if (isError)
    return <FailedState onRetry={() => void refetch()}>{t('We could not load this text.')}</FailedState>
  const [shown] = data ?? []
  return shown ? children(shown) : <Loading label={t('Loading the text')} lines={4} />
}
