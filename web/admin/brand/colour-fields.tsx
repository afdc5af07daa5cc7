import {
  type Accents,
  type BrandTheme,
  brandThemes,
  colourError,
  ownAccents,
  parseColour,
} from '#shared/brand.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { ContrastCheck } from './contrast.tsx'

/** Colours as they are typed. */
export type Typed = { isOwn: boolean; light: string; dark: string }

export function typedColours(accent: Accents | null): Typed {
  return { isOwn: true, ...(accent ?? ownAccents) }
}

/** What is typed as colours; of what is no colour, the product's own. */
export function accentOf({ isOwn, light, dark }: Typed): Accents | null {
  if (!isOwn) return null
  return { light: parseColour(light) ?? ownAccents.light, dark: parseColour(dark) ?? ownAccents.dark }
}

export function colourErrors(typed: Typed): ValidationError | undefined {
  if (!typed.isOwn) return undefined
  return mergeErrors(
    ...brandThemes.map(theme => {
      const colour = parseColour(typed[theme])
      const message = colour === undefined ? 'Enter a colour, such as #1c3f94' : colourError(colour, theme)
      return message === undefined ? undefined : fieldError(`accent.${theme}`, message)
    }),
  )
}

const labels: Record<BrandTheme, string> = {
  light: 'Colour in the light theme',
  dark: 'Colour in the dark theme',
}

/** The firm's colours, each checked while it is chosen. */
export function ColourFields({ typed, onType }: { typed: Typed; onType: (typed: Typed) => void }) {
  return (
    <>
      <Field name="colours" label="Colours">
        <Select
          value={typed.isOwn ? 'own' : 'product'}
          onChange={event => onType({ ...typed, isOwn: event.currentTarget.value === 'own' })}
        >
          <option value="own">Your own</option>
          <option value="product">The product’s own</option>
        </Select>
      </Field>
      {typed.isOwn &&
        brandThemes.map(theme => (
          <ColourField
            key={theme}
            theme={theme}
            text={typed[theme]}
            onType={text => onType({ ...typed, [theme]: text })}
          />
        ))}
    </>
  )
}

type ColourFieldProps = { theme: BrandTheme; text: string; onType: (text: string) => void }

/** A colour typed as the firm's designer has written it, or picked. */
function ColourField({ theme, text, onType }: ColourFieldProps) {
  const colour = parseColour(text)
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[1fr_auto] gap-x-3">
        <Field name={`accent.${theme}`} label={labels[theme]}>
          <Input
            value={text}
            onChange={event => onType(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            maxLength={20}
          />
        </Field>
        <input
          type="color"
          aria-label={`Pick the ${labels[theme].toLowerCase()}`}
          value={colour ?? ownAccents[theme]}
          onChange={event => onType(event.currentTarget.value)}
          className="mt-[1.6875rem] size-11 rounded-sm border border-edge bg-surface p-1"
        />
      </div>
      {colour !== undefined && <ContrastCheck colour={colour} theme={theme} onUse={onType} />}
    </div>
  )
}
