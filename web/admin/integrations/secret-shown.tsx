import { OnceOnlyDialog } from '#web/components/once-only-dialog.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'

type SecretShownProps = {
  /** 'key', as in 'Copy key'. */
  of: string
  title: string
  description: string
  text: string
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

/** A text that authenticates a program, shown once. */
export function SecretShown({ of, title, description, text, onClose, focusAfter }: SecretShownProps) {
  return (
    <OnceOnlyDialog
      title={title}
      description={description}
      question={`Have you saved the ${of}? We can’t show it again.`}
      done={`I’ve saved the ${of}`}
      onClose={onClose}
      focusAfter={focusAfter}
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
