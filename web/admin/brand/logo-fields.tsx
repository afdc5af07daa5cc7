import { type BrandValues, type Picture, uploadLogo } from '#shared/contract/brand.ts'
import { logoTypes } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { logoLimits } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Checkbox, Input, Select } from '#web/ui/input.tsx'

/** A logo as it is chosen. */
export type ChosenLogo = {
  isOwn: boolean
  light: Picture | null
  /** Whether the dark theme has a logo of its own. */
  hasDark: boolean
  dark: Picture | null
  withName: boolean
}

const noLogo: ChosenLogo = { isOwn: false, light: null, hasDark: false, dark: null, withName: false }

export function chosenLogo(logo: BrandValues['logo']): ChosenLogo {
  return logo ? { isOwn: true, hasDark: logo.dark !== null, ...logo } : noLogo
}

export function logoOf({ isOwn, light, hasDark, dark, withName }: ChosenLogo): BrandValues['logo'] {
  return isOwn && light ? { light, dark: hasDark ? dark : null, withName } : null
}

export function logoError({ isOwn, light, hasDark, dark }: ChosenLogo): ValidationError | undefined {
  if (!isOwn) return undefined
  return mergeErrors(
    light ? undefined : fieldError('logo', t('Choose your logo')),
    hasDark && !dark ? fieldError('darkLogo', t('Choose your logo for the dark theme')) : undefined,
  )
}

const { bytes, least, most, widest } = logoLimits

type Uploads = {
  /** One more or one less is under way. */
  onUploads: (change: 1 | -1) => void
}
type LogoFieldsProps = Uploads & { chosen: ChosenLogo; onChoose: (change: Partial<ChosenLogo>) => void }

/** The firm's logo, and another for dark grounds. */
export function LogoFields({ chosen, onChoose, onUploads }: LogoFieldsProps) {
  return (
    <>
      <Field name="logoKind" label={t('Logo')}>
        <Select
          value={chosen.isOwn ? 'own' : 'product'}
          onChange={event => onChoose({ isOwn: event.currentTarget.value === 'own' })}
        >
          <option value="product">{t('The product’s own', {}, 'a logo')}</option>
          <option value="own">{t('Your own', {}, 'a logo')}</option>
        </Select>
      </Field>
      {chosen.isOwn && (
        <>
          <LogoFile
            name="logo"
            label={t('Logo file')}
            hint={t(
              'A PNG of at most {size, number} kB, with {least, number} to {most, number} pixels in width and height, at most {widest} times as wide as high. We keep only its pixels.',
              { size: bytes / 1024, least, most, widest },
            )}
            optional={chosen.light !== null}
            onUpload={light => onChoose({ light })}
            onUploads={onUploads}
          />
          <Checkbox
            name="hasDark"
            checked={chosen.hasDark}
            onChange={event => onChoose({ hasDark: event.currentTarget.checked })}
          >
            {t('Use another logo in the dark theme. Without one, this logo stands on white there')}
          </Checkbox>
          {chosen.hasDark && (
            <LogoFile
              name="darkLogo"
              label={t('Logo file for the dark theme')}
              optional={chosen.dark !== null}
              onUpload={dark => onChoose({ dark })}
              onUploads={onUploads}
            />
          )}
          <Checkbox
            name="withName"
            checked={chosen.withName}
            onChange={event => onChoose({ withName: event.currentTarget.checked })}
          >
            {t('The logo contains our name: do not write it beside the logo')}
          </Checkbox>
        </>
      )}
    </>
  )
}

type LogoFileProps = Uploads & {
  name: string
  label: string
  hint?: string
  optional: boolean
  onUpload: (picture: Picture) => void
}

function LogoFile({ name, label, hint, optional, onUpload, onUploads }: LogoFileProps) {
  const { run, error } = useMutation(uploadLogo, { loading: t('Uploading the logo'), onSuccess: onUpload })
  const refusal = error && { error: error.message }
  async function upload(file: File) {
    onUploads(1)
    await run({ body: file })
    onUploads(-1)
  }
  return (
    <Field name={name} label={label} optional={optional} {...(hint && { hint })} {...refusal}>
      <Input
        type="file"
        accept={logoTypes.join()}
        className="py-2"
        onChange={event => {
          const file = event.currentTarget.files?.[0]
          if (file) void upload(file)
        }}
      />
    </Field>
  )
}
