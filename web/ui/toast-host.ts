import { toast, toastHost } from './toast.ts'

/** Of the open dialogs, the uppermost last. */
const hosts: HTMLElement[] = []

function change() {
  toast.clearErrors()
  toastHost.element = hosts.at(-1)
  toastHost.changed()
}

/** A ref of the place above a dialog where toasts show and cover nothing of it. Errors go when a dialog opens or closes. */
export function hostToasts(element: HTMLElement | null) {
  if (!element) return
  hosts.push(element)
  change()
  return () => {
    hosts.splice(hosts.indexOf(element), 1)
    change()
  }
}
