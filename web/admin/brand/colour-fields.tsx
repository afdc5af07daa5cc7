import {
  type Accents,
  type BrandTheme,
  brandThemes,
  colourError,
  ownAccents,
  parseColour,
} from '#shared/brand.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { ContrastCheck } from './contrast.tsx'

/** Colours as they are typed, and the last text of each that was a colour, which the preview shows. */
export type Typed = { isOwn: boolean; light: string; dark: string; valid: Accents }

export function typedColours(accent: Accents | null): Typed {
  const valid = accent ?? ownAccents
  return { isOwn: true, ...valid, valid }
}

function typing(before: Typed, theme: BrandTheme, text: string): Typed {
  const valid = { ...before.valid, [theme]: parseColour(text) ?? before.valid[theme] }
  return { ...before, [theme]: text, valid }
}

export function accentOf({ isOwn, valid }: Typed): Accents | null {
  return isOwn ? valid : null
}

export function colourErrors(typed: Typed): ValidationError | undefined {
  if (!typed.isOwn) return undefined
  return mergeErrors(
    ...brandThemes.map(theme => {
      const colour = parseColour(typed[theme])
      const message = colour === undefined ? t('Enter a colour, such as #1c3f94') : colourError(colour, theme)
      return message === undefined ? undefined : fieldError(`accent.${theme}`, message)
    }),
  )
}

const labels: Record<BrandTheme, string> = {
  light: msg('Colour in the light theme'),
  dark: msg('Colour in the dark theme'),
}
const pickers: Record<BrandTheme, string> = {
  light: msg('Pick the colour in the light theme'),
  dark: msg('Pick the colour in the dark theme'),
}

/** The firm's colours, each checked while it is chosen. */
export function ColourFields({ typed, onType }: { typed: Typed; onType: (typed: Typed) => void }) {
  return (
    <>
      <Field name="colours" label={t('Colours')}>
        <Select
          value={typed.isOwn ? 'own' : 'product'}
          onChange={event => onType({ ...typed, isOwn: event.currentTarget.value === 'own' })}
        >
          <option value="own">{t('Your own', {}, 'colours')}</option>
          <option value="product">{t('The product’s own', {}, 'colours')}</option>
        </Select>
      </Field>
      {typed.isOwn &&
        brandThemes.map(theme => (
          <ColourField
            key={theme}
            theme={theme}
            text={typed[theme]}
            valid={typed.valid[theme]}
            onType={text => onType(typing(typed, theme, text))}
          />
        ))}
    </>
  )
}

type ColourFieldProps = { theme: BrandTheme; text: string; valid: string; onType: (text: string) => void }

/** A colour typed as the firm's designer has written it, or picked. */
function ColourField({ theme, text, valid, onType }: ColourFieldProps) {
  const colour = parseColour(text)
  const error =
    colour === undefined
      ? t('Enter a colour, such as #1c3f94. The preview keeps the last valid colour')
      : undefined
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[1fr_auto] gap-x-3">
        <Field name={`accent.${theme}`} label={translate(labels[theme])} {...(error && { error })}>
          <Input
            value={text}
            onChange={event => onType(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            maxLength={20}
            dir="ltr"
            className="rtl:text-end"
          />
        </Field>
        <input
          type="color"
          aria-label={translate(pickers[theme])}
          value={valid}
          onChange={event => onType(event.currentTarget.value)}
          className="mt-[1.6875rem] size-11 rounded-sm border border-edge bg-surface p-1"
        />
      </div>
      <p role="status" className="sr-only">
        {error}
      </p>
      {colour !== undefined && <ContrastCheck colour={colour} theme={theme} onUse={onType} />}
    </div>
  )
}
