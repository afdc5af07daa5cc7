import { Wordmark } from './wordmark.tsx'

/** Cookie that marks the overlay as seen. */
export const seenByCookie = 'overlay=seen'

/** Under https its name binds it to this host (RFC 6265bis, 4.1.3.2), so that no neighbouring host can set it. */
const boundToHost = `__Host-${seenByCookie}`

/** A session cookie: the overlay shows once per browser session (O-02). Under https it travels only there. */
export function setSeenCookie(publicUrl: string): string {
  const attributes = 'Path=/; HttpOnly; SameSite=Lax'
  return publicUrl.startsWith('https:')
    ? `${boundToHost}; ${attributes}; Secure`
    : `${seenByCookie}; ${attributes}`
}

/** True if the Cookie header says the overlay was seen. */
export function overlaySeen(cookies: string): boolean {
  return cookies.split(/;\s*/).some(cookie => cookie === seenByCookie || cookie === boundToHost)
}

/**
 * The pulsing overlay of a session's first page (O-01, O-02). Works without script (styles/overlay.css); must be
 * first in the body.
 */
export function StartOverlay({ name }: { name: string }) {
  return (
    <dialog open className="start-overlay" aria-label={`${name} is starting`} {...{ closedby: 'any' }}>
      <form method="dialog">
        <input
          type="search"
          defaultValue="."
          pattern="\."
          required
          autoFocus
          inputMode="none"
          autoComplete="off"
          aria-label="Press Enter to continue"
        />
        <button type="submit" tabIndex={-1}>
          <span className="start-overlay-mark text-2xl">
            <Wordmark name={name} />
          </span>
          <span className="text-ink-faint text-sm">Press Enter or tap to continue</span>
        </button>
      </form>
    </dialog>
  )
}
