import { Eye, EyeOff } from 'lucide-react'

/** Icon of a button that shows (open) or hides something. */
export function EyeIcon({ open }: { open: boolean }) {
  return open ? <Eye aria-hidden="true" /> : <EyeOff aria-hidden="true" />
}
