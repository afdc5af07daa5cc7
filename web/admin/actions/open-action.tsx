import { useLeaving } from '#web/admin/leaving.ts'
import { closeAct, useOpenAct } from './open.ts'

/** The act that was opened from a list or a page, until it is done, given up, or the page is left. */
export function OpenAct() {
  const dialog = useOpenAct()
  useLeaving(closeAct)
  return dialog?.(() => closeAct(dialog))
}
