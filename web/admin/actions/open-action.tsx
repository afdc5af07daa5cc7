import { useLeaving } from '#web/admin/leaving.ts'
import { closeAction, useOpenAction } from './open.ts'

/** The open action's dialog, until it is done, cancelled, or the page is left. */
export function OpenAction() {
  const dialog = useOpenAction()
  useLeaving(closeAction)
  return dialog?.(() => closeAction(dialog))
}
