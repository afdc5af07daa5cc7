import { Wordmark } from './wordmark.tsx'

const cookieName = 'overlay'

/** Without an expiry it ends with the browser session (O-02). */
export const seenCookie = `${cookieName}=seen; Path=/; HttpOnly; SameSite=Lax`

/** Whether this browser session has had the overlay. */
export function overlaySeen(request: Request): boolean {
  const cookies = request.headers.get('Cookie') ?? ''
  return cookies.split(/;\s*/).includes(`${cookieName}=seen`)
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
          aria-label="Press Enter to go on"
        />
        <button type="submit" tabIndex={-1}>
          <span className="start-overlay-mark text-2xl">
            <Wordmark name={name} />
          </span>
          <span className="text-ink-faint text-sm">Press Enter or tap to go on</span>
        </button>
      </form>
    </dialog>
  )
}
