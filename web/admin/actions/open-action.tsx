import { useLeaving } from '#web/admin/leaving.ts'
import { closeAction, useOpenAction } from './open.ts'

/** The act that was opened from a list or a page, until it is done, given up, or the page is left. */
export function OpenAction() {
  const dialog = useOpenAction()
  useLeaving(closeAction)
  return dialog?.(() => closeAction(dialog))
}
