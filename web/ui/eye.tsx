import { Eye, EyeOff } from 'lucide-react'

/** On a button that shows (open) or hides what is beside it. */
export function EyeIcon({ open }: { open: boolean }) {
  return open ? <Eye aria-hidden="true" /> : <EyeOff aria-hidden="true" />
}
