import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Button, type ButtonLook, IconButton } from './button.tsx'
import { toast } from './toast.ts'

/** Milliseconds for which the notice stays (D-19). */
const noticeMs = 4000

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

type CopyButtonProps = ButtonLook & {
  text: string
  /** What it copies: 'Copy payment address'. */
  label: string
  /** Shows the icon alone; the label is its name. */
  bare?: boolean
  notice?: string
  onCopied?: () => void
}

/** Copies a text and says 'Copied' for 4 seconds. */
export function CopyButton({
  text,
  label,
  bare,
  notice,
  onCopied,
  tone = 'quiet',
  size = 'sm',
}: CopyButtonProps) {
  const [copies, setCopies] = useState(0)

  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), noticeMs)
    return () => clearTimeout(timer)
  }, [copies])

  async function press() {
    if (!(await copy(text)))
      return void toast.error(t('Your browser blocked copying. Select the text and copy it instead'))
    setCopies(copies + 1)
    onCopied?.()
  }

  const icon = copies > 0 ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />
  if (bare) {
    return (
      <IconButton label={label} onClick={press} className="size-7! [&_svg]:size-4!">
        {icon}
        <span aria-live="polite" className="sr-only">
          {copies > 0 && (notice ?? t('Copied'))}
        </span>
      </IconButton>
    )
  }
  return (
    <Button tone={tone} size={size} onClick={press}>
      {icon}
      <span aria-live="polite">{copies > 0 ? (notice ?? t('Copied')) : label}</span>
    </Button>
  )
}
