import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonLook } from './button.tsx'
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
  notice?: string
  onCopied?: () => void
}

/** Copies a text and says 'Copied' for 4 seconds. */
export function CopyButton({
  text,
  label,
  notice = 'Copied',
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
      return void toast.error('Your browser blocked copying. Select the text and copy it instead')
    setCopies(copies + 1)
    onCopied?.()
  }

  return (
    <Button tone={tone} size={size} onClick={press}>
      {copies > 0 ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      <span aria-live="polite">{copies > 0 ? notice : label}</span>
    </Button>
  )
}
