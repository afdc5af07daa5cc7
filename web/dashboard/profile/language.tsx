import { chooseLanguage } from '#shared/contract/accounts.ts'
import { isLanguage, languageCodes, languages, sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { Select } from '#web/ui/input.tsx'

/** The language of the account's pages and emails. */
export function LanguageForm({ language }: { language: string }) {
  const { run, pending, error } = useMutation(chooseLanguage, {
    // Another document, which has the words of that language.
    onSuccess: ({ user }) => location.assign(`/${user.language}${location.pathname}`),
  })
  return (
    <Form
      fields={['language']}
      onSubmit={({ language: code }) => run({ body: { language: isLanguage(code) ? code : sourceLanguage } })}
      pending={pending}
      error={error}
    >
      <Field name="language" label={t('Language')} hint={t('Our pages and emails are written in it.')}>
        <Select defaultValue={language}>
          {languageCodes.map(code => (
            <option key={code} value={code} lang={code}>
              {languages[code].name}
            </option>
          ))}
        </Select>
      </Field>
      <SubmitButton className="justify-self-start">{t('Save language')}</SubmitButton>
    </Form>
  )
}
