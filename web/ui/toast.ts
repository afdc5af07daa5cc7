import { toast as show } from 'react-hot-toast/headless'

/** Milliseconds for which a toast stays, and how many show at once (X-06; the library's limit is the same 20). */
export const toastDurations = {
  error: 4000,
  success: 2000,
  blank: 4000,
  loading: Number.POSITIVE_INFINITY,
} as const

/** The refusal that was told last. */
let refusal: string | undefined

/**
 * The same words are one toast: five reads that fail alike say it once. A kind in its identity, so that an error
 * never turns an equal success around.
 */
export const toast = {
  error: (words: string) => show.error(words, { id: `error:${words}`, duration: toastDurations.error }),
  success: (words: string) =>
    show.success(words, { id: `success:${words}`, duration: toastDurations.success }),
  plain: (words: string) => show(words, { id: `plain:${words}`, duration: toastDurations.blank }),
  /** Stays until `done` or `failed` replaces it. */
  loading(words: string) {
    const id = show.loading(words, { duration: toastDurations.loading })
    return {
      done: (then: string) => show.success(then, { id, duration: toastDurations.success }),
      failed: (then: string) => show.error(then, { id, duration: toastDurations.error }),
    }
  },
  /** Why what the visitor asked for is not done: goes when he tries again, so that only what holds now is read. */
  refusal(words: string) {
    toast.retractRefusal()
    refusal = toast.error(words)
  },
  retractRefusal() {
    if (refusal !== undefined) show.dismiss(refusal)
    refusal = undefined
  },
  dismiss: (id: string) => show.dismiss(id),
}
