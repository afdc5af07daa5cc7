import { Wordmark } from './wordmark.tsx'

/** The Cookie header of who has had the overlay. */
export const seenByCookie = 'overlay=seen'

/** Without an expiry it ends with the browser session (O-02). */
export const setSeenCookie = `${seenByCookie}; Path=/; HttpOnly; SameSite=Lax`

/** Whether this browser session has had the overlay, by its Cookie header. */
export function overlaySeen(cookies: string): boolean {
  return cookies.split(/;\s*/).includes(seenByCookie)
}

/**
 * The pulsing overlay of the first page of a browser session (O-01, O-02). Works without a script: how it goes is
 * told in styles/overlay.css. It must stand first in the body.
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
