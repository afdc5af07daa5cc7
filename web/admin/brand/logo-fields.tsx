import { type BrandValues, type Picture, uploadLogo } from '#shared/contract/brand.ts'
import { logoTypes } from '#shared/evidence.ts'
import { logoLimits } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'
import { Checkbox, Input, Select } from '#web/ui/input.tsx'

/** A logo as it is chosen. */
export type ChosenLogo = { isOwn: boolean; light: Picture | null; dark: Picture | null; withName: boolean }

export function chosenLogo(logo: BrandValues['logo']): ChosenLogo {
  return logo ? { isOwn: true, ...logo } : { isOwn: false, light: null, dark: null, withName: false }
}

export function logoOf({ isOwn, light, dark, withName }: ChosenLogo): BrandValues['logo'] {
  return isOwn && light ? { light, dark, withName } : null
}

export function logoError({ isOwn, light }: ChosenLogo): ValidationError | undefined {
  return isOwn && !light ? fieldError('logo', 'Choose your logo') : undefined
}

const { bytes, least, most, widest } = logoLimits
const limits = `A PNG of at most ${bytes / 1024} kB, with ${least} to ${most.toLocaleString('en')} pixels in width and height, at most ${widest} times as wide as high.`

type LogoFieldsProps = { chosen: ChosenLogo; onChoose: (chosen: ChosenLogo) => void }

/** The firm's logo, and another for dark grounds. */
export function LogoFields({ chosen, onChoose }: LogoFieldsProps) {
  return (
    <>
      <Field name="logoKind" label="Logo">
        <Select
          value={chosen.isOwn ? 'own' : 'product'}
          onChange={event => onChoose({ ...chosen, isOwn: event.currentTarget.value === 'own' })}
        >
          <option value="product">The product’s own</option>
          <option value="own">Your own</option>
        </Select>
      </Field>
      {chosen.isOwn && (
        <>
          <LogoFile
            name="logo"
            label="File of the logo"
            hint={`${limits} We keep its pixels and nothing else of the file.`}
            optional={chosen.light !== null}
            onUpload={light => onChoose({ ...chosen, light })}
          />
          <LogoFile
            name="darkLogo"
            label="File of the logo for the dark theme"
            hint="Without one, your logo stands on a white ground there."
            optional
            onUpload={dark => onChoose({ ...chosen, dark })}
          />
          <Checkbox
            name="withName"
            checked={chosen.withName}
            onChange={event => onChoose({ ...chosen, withName: event.currentTarget.checked })}
          >
            The logo contains your name, so it is not written beside it
          </Checkbox>
        </>
      )}
    </>
  )
}

type LogoFileProps = {
  name: string
  label: string
  hint: string
  optional: boolean
  onUpload: (picture: Picture) => void
}

function LogoFile({ name, label, hint, optional, onUpload }: LogoFileProps) {
  const { run, error } = useMutation(uploadLogo, { loading: 'Uploading the logo', onSuccess: onUpload })
  const refusal = error && { error: error.message }
  return (
    <Field name={name} label={label} hint={hint} optional={optional} {...refusal}>
      <Input
        type="file"
        accept={logoTypes.join()}
        className="py-2"
        onChange={event => {
          const file = event.currentTarget.files?.[0]
          if (file) void run({ body: file })
        }}
      />
    </Field>
  )
}
