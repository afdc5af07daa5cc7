import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { fillAnswer } from '#shared/canned-answers.ts'
import { type CannedAnswer, listAnswers } from '#shared/contract/canned-answers.ts'
import type { ContactMessage } from '#shared/contract/site.ts'
import { t } from '#shared/i18n/t.ts'
import { longestSearch } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { cx } from '#web/ui/cx.ts'
import { Input } from '#web/ui/input.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { matching } from './matching.ts'

/** How many answers are shown at once; typing finds the others. */
const SHOWN = 6

type InsertAnswerProps = { message: ContactMessage; field: () => HTMLTextAreaElement | null }

/** Finds a prepared answer and inserts it, filled in: an editable combobox with a list (WAI-ARIA APG). */
export function InsertAnswer({ message, field }: InsertAnswerProps) {
  const { data = [], isError, refetch } = useRead(listAnswers, {})
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [q, setQ] = useState('')
  const [at, setAt] = useState(0)
  const found = isOpen ? matching(data, q).slice(0, SHOWN) : []
  const active = Math.min(at, found.length - 1)

  useEscape(isOpen, () => setOpen(false))

  function search(text: string) {
    setQ(text)
    setAt(0)
    setOpen(true)
  }

  function insert({ text }: CannedAnswer) {
    const target = field()
    if (target === null) return
    insertInto(target, fillAnswer(text, message))
    setQ('')
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') {
      // Never sends the reply.
      event.preventDefault()
      const chosen = found[active]
      if (chosen) insert(chosen)
    } else if (by !== undefined) {
      event.preventDefault()
      if (!isOpen) setOpen(true)
      else if (found.length > 0) setAt((active + by + found.length) % found.length)
    }
  }

  if (isError)
    return (
      <FailedState onRetry={() => void refetch()}>
        {t('The prepared answers could not be loaded.')}
      </FailedState>
    )
  if (data.length === 0) return null
  return (
    <div className="grid gap-1.5">
      <label htmlFor={`${id}-q`} className="font-medium text-sm">
        {t('Insert a prepared answer')}
      </label>
      <Input
        id={`${id}-q`}
        type="search"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={t('Title or text')}
        maxLength={longestSearch}
        value={q}
        onChange={event => search(event.currentTarget.value)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {isOpen && found.length === 0 && (
        <p role="status" className="text-ink-faint text-sm">
          {t('No answers match this search.')}
        </p>
      )}
      {found.length > 0 && (
        <div id={id} role="listbox" aria-label={t('Prepared answers')} className="border border-rule">
          {found.map((answer, place) => (
            <Option
              key={answer._id}
              id={`${id}-${place}`}
              title={answer.title}
              text={fillAnswer(answer.text, message)}
              active={place === active}
              onChoose={() => insert(answer)}
            />
          ))}
        </div>
      )}
    </div>
  )
}

type OptionProps = { id: string; title: string; text: string; active: boolean; onChoose: () => void }

function Option({ id, title, text, active, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: The focus stays in the field, whose keys choose an option.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      // The field would lose the focus, and its list, before the click.
      onMouseDown={event => event.preventDefault()}
      onClick={onChoose}
      className={cx('cursor-default px-3 py-2 text-sm hover:bg-accent-soft', active && 'bg-accent-soft')}
    >
      <span dir="auto" className="block truncate font-medium">
        {title}
      </span>
      <span dir="auto" className="line-clamp-2 text-ink-soft">
        {text}
      </span>
    </div>
  )
}

/** Escape closes the list. The dialog listens at the document, before the field, so this listens before the dialog. */
function useEscape(isOpen: boolean, close: () => void) {
  useEffect(() => {
    if (!isOpen) return
    function pressed(event: globalThis.KeyboardEvent) {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      // A search field would clear itself.
      event.preventDefault()
      close()
    }
    addEventListener('keydown', pressed, { capture: true })
    return () => removeEventListener('keydown', pressed, { capture: true })
  }, [isOpen, close])
}

/** Inserts the text at the caret, which stands behind it afterwards. */
function insertInto(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
