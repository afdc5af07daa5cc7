import { toast as show } from 'react-hot-toast/headless'

/** Duration of toasts in milliseconds. The library shows at most 20. */
export const toastDurations = {
  error: 4000,
  success: 2000,
  blank: 4000,
  loading: Number.POSITIVE_INFINITY,
} as const

const errors = new Set<string>()

/** Where toasts show: in a place above the uppermost dialog (toast-host.ts), else over the page. */
export const toastHost = {
  element: undefined as HTMLElement | undefined,
  /** For the one Toaster. */
  changed() {},
}

/** Equal toasts are shown once, so that several failed reads say it once. The kind is part of the id. */
export const toast = {
  /** @param stays for what leads elsewhere: it outlives the dialogs of the page before. */
  error(words: string, stays?: boolean) {
    const id = show.error(words, { id: `error:${words}`, duration: toastDurations.error })
    if (!stays) errors.add(id)
    return id
  },
  /** A dialog shows the error of the last attempt only. */
  beginAttempt() {
    if (toastHost.element) toast.clearErrors()
  },
  /** After a success, earlier errors are out of date. */
  clearErrors() {
    for (const id of errors) show.dismiss(id)
    errors.clear()
  },
  success: (words: string) =>
    show.success(words, { id: `success:${words}`, duration: toastDurations.success }),
  /** Neutral information: neither a success nor an error. */
  plain: (words: string) => show(words, { id: `plain:${words}`, duration: toastDurations.blank }),
  /** Stays until one of its methods replaces or removes it. */
  loading(words: string) {
    const id = show.loading(words, { duration: toastDurations.loading })
    return {
      /** Changes the words. */
      say: (now: string) => void show.loading(now, { id, duration: toastDurations.loading }),
      success: (then: string) => show.success(then, { id, duration: toastDurations.success }),
      /** A toast of its own, so that equal words show once. */
      error(then: string) {
        show.dismiss(id)
        toast.error(then)
      },
      dismiss: () => show.dismiss(id),
    }
  },
  dismiss: (id: string) => show.dismiss(id),
}
