import { type ComponentProps, useEffect, useId, useState } from 'react'
import { Input } from '#web/ui/input.tsx'

/** Debounce time in milliseconds. */
const debounceMs = 250

type DebouncedInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string
  /** Parses the text; undefined while incomplete. */
  read: (text: string) => string | undefined
  /** Writes a value as the text that is read; by default, it is that text. */
  write?: (value: string) => string
  onValue: (value: string) => void
  /** Error for text that cannot be parsed. */
  error?: string
}

function asItIs(value: string): string {
  return value
}

/** A field that reports its value once typing stops or the focus moves on: the next press is about what is written. */
export function DebouncedInput({
  value,
  read,
  write = asItIs,
  onValue,
  error,
  ...rest
}: DebouncedInputProps) {
  const [text, setText] = useState(() => write(value))
  const errorId = useId()
  const words = read(text) === undefined ? error : undefined

  // The value may change from outside: a link, the way back, a cleared filter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks at the text of that moment.
  useEffect(() => {
    if (read(text) !== value) setText(write(value))
  }, [value])

  function report() {
    const next = read(text)
    if (next !== undefined && next !== value) onValue(next)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for the text to rest; the others are of that moment.
  useEffect(() => {
    const timer = setTimeout(report, debounceMs)
    return () => clearTimeout(timer)
  }, [text])

  return (
    <>
      <Input
        autoComplete="off"
        aria-invalid={read(text) === undefined || undefined}
        aria-describedby={words && errorId}
        {...rest}
        value={text}
        onChange={event => setText(event.target.value)}
        onBlur={report}
      />
      {words && (
        <p id={errorId} className="text-bad text-sm">
          {words}
        </p>
      )}
    </>
  )
}
