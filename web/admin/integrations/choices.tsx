import { translate } from '#shared/i18n/t.ts'
import { FieldGroup } from '#web/ui/field-group.tsx'
import { Checkbox } from '#web/ui/input.tsx'

type ChoicesProps<Name extends string> = {
  legend: string
  /** Names of the fields, `linked` of the form; the first has the error of them all. */
  names: readonly Name[]
  /** Named by `msg`. */
  words: Readonly<Record<Name, string>>
}

/** Checkboxes of which at least one is needed; a chosen one is 'yes'. */
export function Choices<Name extends string>({ legend, names, words }: ChoicesProps<Name>) {
  return (
    <FieldGroup legend={legend} name={names[0]!} className="gap-1">
      {isInvalid =>
        names.map(name => (
          <Checkbox key={name} name={name} value="yes" aria-invalid={isInvalid}>
            {translate(words[name])}
          </Checkbox>
        ))
      }
    </FieldGroup>
  )
}
