import { type ReactNode, use, useState } from 'react'
import {
  getPolicy,
  type PolicyTranslations,
  type PolicyVersion,
  type WrittenPolicy,
} from '#shared/contract/policies.ts'
import { type TranslatedLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { longestPolicy, longestPolicyChanges } from '#shared/limits.ts'
import { languageName } from '#web/admin/firm/translation-form.ts'
import { useRead } from '#web/api/read.ts'
import { Markdown } from '#web/components/markdown.tsx'
import { marksOf } from '#web/components/written-in.ts'
import { WrittenText } from '#web/components/written-text.tsx'
import { Field, FormErrors } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

type Part = 'text' | 'changes'
export type TranslationField = `translations.${TranslatedLanguage}.${Part}`

const nameOf = (language: TranslatedLanguage, part: Part): TranslationField =>
  `translations.${language}.${part}`
export const translationFields = translatedLanguages.flatMap(language => [
  nameOf(language, 'text'),
  nameOf(language, 'changes'),
])

type Values = Record<TranslationField, string>

/** The translations that were typed; a language left empty has none. */
export function typedTranslations(values: Values): PolicyTranslations {
  const typed = translatedLanguages.flatMap(language => {
    const [text, changes] = partsOf(values, language)
    return text === '' ? [] : [[language, { text, changes: changes === '' ? null : changes }]]
  })
  return Object.fromEntries(typed)
}

function partsOf(values: Values, language: TranslatedLanguage): [text: string, changes: string] {
  return [values[nameOf(language, 'text')].trim(), values[nameOf(language, 'changes')].trim()]
}

/** A translation has both its parts or none. */
export function translationErrors(values: Values, hasChanges: boolean): ValidationError | undefined {
  if (!hasChanges) return undefined
  return mergeErrors(
    ...translatedLanguages.map(language => {
      const [text, changes] = partsOf(values, language)
      if ((text === '') === (changes === '')) return undefined
      return text === ''
        ? fieldError(nameOf(language, 'text'), t('Translate the text, too'))
        : fieldError(nameOf(language, 'changes'), t('Translate the summary of the changes, too'))
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
  const name = languageName(language)
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
            {shown => <Inputs {...{ language, hasChanges, shown }} />}
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
      <Field name={nameOf(language, 'text')} label={t('Text ({language})', { language: name })} optional>
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

type TextProps = { policy: WrittenPolicy; language: TranslatedLanguage }

/** A translation to read, loaded when it is opened. */
export function TranslationText({ policy, language }: TextProps) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary className="prose-link mb-3 w-fit cursor-pointer">
        {t('Read it in {language}', { language: languageName(language) })}
      </summary>
      {wasOpened && (
        <Translation policy={policy} language={language}>
          {({ text, changes }) => (
            <div className="grid gap-3">
              {changes && (
                <div {...marksOf(language)}>
                  <WrittenText>{changes}</WrittenText>
                </div>
              )}
              <Markdown text={text} language={language} />
            </div>
          )}
        </Translation>
      )}
    </details>
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
