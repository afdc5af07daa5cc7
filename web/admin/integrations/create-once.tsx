import { type ComponentProps, type ReactNode, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { OnceOnlyDialog } from '#web/components/once-only-dialog.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'

type CreateOnceProps = {
  /** 'key', as in 'Copy key'. */
  of: string
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
          {t('{children} We show the {of} once, so have a safe place for it ready.', { children, of })}
        </p>
        <DescriptionList entries={entries} />
      </ConfirmDialog>
    )
  }
  return (
    <OnceOnlyDialog
      title={props.shownTitle}
      description={props.shownDescription}
      question={`Have you saved the ${of}? We can’t show it again.`}
      done={`I’ve saved the ${of}`}
      onClose={onClose}
      focusAfter={() => home}
    >
      <p
        data-takes-focus
        tabIndex={-1}
        className="select-all rounded-sm bg-sunken px-4 py-4 font-mono text-sm wrap-anywhere"
      >
        {text}
      </p>
      <div>
        <CopyButton text={text} label={`Copy ${of}`} />
      </div>
    </OnceOnlyDialog>
  )
}
