import { t } from '#shared/i18n/t.ts'
import { Wordmark } from './wordmark.tsx'

/**
 * Cookie that marks the overlay as seen. Under https its name binds it to this host (RFC 6265bis, 4.1.3.2), so that no
 * neighbouring host can set it.
 */
export function seenCookie(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-overlay=seen' : 'overlay=seen'
}

/** A session cookie: the overlay shows once per browser session (O-02). Under https it travels only there. */
export function setSeenCookie(publicUrl: string): string {
  const cookie = `${seenCookie(publicUrl)}; Path=/; HttpOnly; SameSite=Lax`
  return isHttps(publicUrl) ? `${cookie}; Secure` : cookie
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

/** True if the Cookie header says the overlay was seen. */
export function overlaySeen(cookies: string, publicUrl: string): boolean {
  return cookies.split(/;\s*/).includes(seenCookie(publicUrl))
}

/**
 * The pulsing overlay of a session's first page (O-01, O-02). Works without script (styles/overlay.css); must be
 * first in the body.
 */
export function StartOverlay({ name }: { name: string }) {
  return (
    <dialog
      open
      className="start-overlay"
      aria-label={t('{name} is starting', { name })}
      {...{ closedby: 'any' }}
    >
      <form method="dialog">
        <input
          type="search"
          defaultValue="."
          pattern="\."
          required
          autoFocus
          inputMode="none"
          autoComplete="off"
          aria-label={t('Press Enter to continue')}
        />
        <button type="submit" tabIndex={-1}>
          <span className="grid justify-items-center gap-5 border border-rule bg-paper px-12 py-8 shadow-lift">
            <span className="start-overlay-mark text-2xl">
              <Wordmark name={name} />
            </span>
            <span className="text-ink-faint text-sm">{t('Press Enter or tap to continue')}</span>
          </span>
        </button>
      </form>
    </dialog>
  )
}
