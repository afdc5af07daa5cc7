import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { type IdentityFile, sendIdentity } from '#shared/contract/identity.ts'
import { type countryNames, localCountries } from '#shared/countries.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import {
  birthError,
  type DocumentKind,
  documentError,
  documentKinds,
  documentLabels,
  filesFor,
  type IdentityFileKind,
} from '#shared/identity.ts'
import { dayOf } from '#shared/moments.ts'
import { useMutation } from '#web/api/mutation.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import {
  Form,
  FormRefusal,
  fieldError,
  mergeErrors,
  missing,
  SubmitButton,
  type ValidationError,
} from '#web/ui/form.tsx'
import { Input, Select, Textarea } from '#web/ui/input.tsx'
import type { Begun } from './begun.tsx'
import { forgetDraft, keepDraft } from './draft.ts'
import { FileField } from './file-field.tsx'
import { idsToKeep, missingFiles } from './missing-files.ts'

const answers = ['name', 'birth', 'nationality', 'address', 'document', 'number', 'issuer', 'ends'] as const
const fields = [...answers, 'front', 'back', 'selfie', 'uploading'] as const
type Values = Record<(typeof fields)[number], string>

const hints = {
  front: msg('The whole side or page with your picture, sharp and without reflections.'),
  back: msg('The other side of the same document.'),
  selfie: msg('Your face, from the front, as you look now.'),
} as const

function check(values: Values, files: readonly IdentityFile[]): ValidationError | undefined {
  const { birth, ends, uploading } = values
  const document = values.document as DocumentKind
  const today = dayOf(new Date())
  return mergeErrors(
    missing(values, answers, t('All fields are required')),
    errorAt('birth', birth === '' ? undefined : birthError(birth, today)),
    errorAt('ends', ends === '' ? undefined : documentError(ends, today)),
    missingFiles(filesFor({ kind: 'identity', document }), files, uploading),
  )
}

function errorAt(field: string, words: string | undefined): ValidationError | undefined {
  return words === undefined ? undefined : fieldError(field, words)
}

/** Who the investor is, as their document says, with pictures of it and of them. */
export function IdentityForm({ files, begun }: { files: readonly IdentityFile[]; begun: Begun }) {
  const { answers: before, kept } = begun
  const [document, setDocument] = useState((before.document as DocumentKind | undefined) ?? 'passport')
  const { run, pending, error } = useMutation(sendIdentity, {
    onSuccess: () => {
      forgetDraft('identity')
      focusHomeHere()?.focus()
    },
  })
  const needed = Object.keys(filesFor({ kind: 'identity', document })) as (keyof typeof hints)[]
  return (
    <Form
      fields={fields}
      check={values => check(values, [...files, ...kept])}
      onSubmit={values => run({ body: { ...bodyOf(values), kept: idsToKeep(kept, files, needed) } })}
      onInput={({ currentTarget }) => keepDraft('identity', currentTarget as HTMLFormElement, answers)}
      pending={pending}
      error={error}
    >
      <Field name="name" label={t('Full name')} hint={<NameHint />}>
        <Input autoComplete="name" dir="auto" maxLength={120} defaultValue={before.name} />
      </Field>
      <Pair>
        <Field name="birth" label={t('Date of birth')}>
          <Input
            type="date"
            autoComplete="bday"
            min="1900-01-01"
            max="2199-12-31"
            defaultValue={before.birth}
          />
        </Field>
        <Countries name="nationality" label={t('Nationality')} before={before.nationality} />
      </Pair>
      <Field
        name="address"
        label={t('Address')}
        hint={t('Where you live: street, town, postcode and country.')}
      >
        <Textarea rows={3} autoComplete="street-address" maxLength={400} defaultValue={before.address} />
      </Field>
      <Pair>
        <Field name="document" label={t('Document')}>
          <Select value={document} onChange={event => setDocument(event.target.value as DocumentKind)}>
            {documentKinds.map(kind => (
              <option key={kind} value={kind}>
                {translate(documentLabels[kind])}
              </option>
            ))}
          </Select>
        </Field>
        <Field name="number" label={t('Number of the document')}>
          <Input
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            maxLength={40}
            defaultValue={before.number}
          />
        </Field>
        <Countries name="issuer" label={t('Country that issued it')} before={before.issuer} />
        <Field name="ends" label={t('Last day on which it is valid')}>
          <Input
            type="date"
            autoComplete="off"
            min="2000-01-01"
            max="2199-12-31"
            defaultValue={before.ends}
          />
        </Field>
      </Pair>
      {needed.map(kind => (
        <FileField
          key={kind}
          kind={kind}
          hint={translate(hints[kind])}
          files={filesOf(files, kind)}
          kept={filesOf(kept, kind)}
        />
      ))}
      <FormRefusal />
      <SubmitButton className="justify-self-start">{t('Send for checking')}</SubmitButton>
    </Form>
  )
}

function NameHint() {
  return (
    <>
      {tr(
        'As it is in the document. It must be the name of your account; if it is not, change that in <link>your profile</link> first.',
        {
          link: words => (
            <Link className="prose-link" to={paths.dashboard.profile}>
              {words}
            </Link>
          ),
        },
      )}
    </>
  )
}

/** Short fields, side by side where there is room. */
function Pair({ children }: { children: ReactNode }) {
  return <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2">{children}</div>
}

const filesOf = (files: readonly IdentityFile[], kind: IdentityFileKind) =>
  files.filter(file => file.kind === kind)

function bodyOf(values: Values) {
  const { front: _front, back: _back, selfie: _selfie, uploading: _uploading, ...body } = values
  return body as typeof body & { nationality: (typeof countryNames)[number] } & { document: DocumentKind }
}

function Countries({ name, label, before }: { name: string; label: string; before: string | undefined }) {
  return (
    <Field name={name} label={label}>
      <Select defaultValue={before ?? ''}>
        <option value="">{t('Choose a country')}</option>
        {localCountries().map(country => (
          <option key={country.name} value={country.name}>
            {country.words}
          </option>
        ))}
      </Select>
    </Field>
  )
}
