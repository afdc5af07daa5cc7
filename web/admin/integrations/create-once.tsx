import { type ComponentProps, type ReactNode, useState } from 'react'
import { msg, translate } from '#shared/i18n/t.ts'
import { OnceOnlyDialog } from '#web/components/once-only-dialog.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'

const wordsOf = {
  key: {
    ready: msg('We show the key once, so have a safe place for it ready.'),
    question: msg('Have you saved the key? We can’t show it again.'),
    done: msg('I’ve saved the key'),
    copy: msg('Copy key'),
  },
  secret: {
    ready: msg('We show the secret once, so have a safe place for it ready.'),
    question: msg('Have you saved the secret? We can’t show it again.'),
    done: msg('I’ve saved the secret'),
    copy: msg('Copy secret'),
  },
}

type CreateOnceProps = {
  of: keyof typeof wordsOf
  /** The question before it is created, with its button. */
  title: string
  confirm: string
  entries: ComponentProps<typeof DescriptionList>['entries']
  /** What its creation does. */
  children?: ReactNode
  onCreate: () => void
  pending: boolean
  refusal: string | undefined
  /** Once it is created. */
  text: string | undefined
  shownTitle: string
  shownDescription: string
  onClose: () => void
}

/** Creates a text that authenticates a program, then shows it once. */
export function CreateOnce(props: CreateOnceProps) {
  const { of, title, confirm, entries, children, onCreate, pending, refusal, text, onClose } = props
  const words = wordsOf[of]
  // The button that opened it may be gone by then.
  const [home] = useState(focusHomeHere)
  if (text === undefined) {
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        title={title}
        confirm={confirm}
        onConfirm={onCreate}
        pending={pending}
        refusal={refusal}
      >
        <p className="mb-4">
          {children} {translate(words.ready)}
        </p>
        <DescriptionList entries={entries} />
      </ConfirmDialog>
    )
  }
  return (
    <OnceOnlyDialog
      title={props.shownTitle}
      description={props.shownDescription}
      question={translate(words.question)}
      done={translate(words.done)}
      onClose={onClose}
      focusAfter={() => home}
    >
      <p
        data-takes-focus
        tabIndex={-1}
        dir="ltr"
        className="select-all rounded-sm bg-sunken px-4 py-4 font-mono text-sm wrap-anywhere"
      >
        {text}
      </p>
      <div>
        <CopyButton text={text} label={translate(words.copy)} />
      </div>
    </OnceOnlyDialog>
  )
}
