import { t } from '#shared/i18n/t.ts'
import type { Site } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { buttonClass } from '#web/ui/button.tsx'

/** Everything a chat needs, except navigating this page. */
const allowed =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox'

/**
 * The provider's chat (P-13), in a frame of its own origin, so that it cannot read this page, its tokens or its
 * address. The panel is a popover and needs no script of ours.
 */
export function LiveChat({ provider, frame }: NonNullable<Site['liveChat']>) {
  return (
    <aside aria-label={t('Live chat')} className="live-chat">
      <button type="button" popoverTarget="live-chat" className={buttonClass({ tone: 'quiet' })}>
        {t('Chat')}
      </button>
      <div
        id="live-chat"
        popover="auto"
        role="dialog"
        aria-labelledby="live-chat-title"
        className="rounded-sm max-sm:rounded-none"
      >
        <div className="live-chat-head">
          <h2 id="live-chat-title" className="font-semibold">
            {t('Chat with us')}
          </h2>
          <button
            type="button"
            popoverTarget="live-chat"
            popoverTargetAction="hide"
            className={buttonClass({ tone: 'quiet', size: 'sm' })}
          >
            {t('Close')}
          </button>
          <p className="text-ink-soft text-sm">
            {t(
              'By {provider}, in a separate window that cannot see this page or your account. Never enter a password or code in it.',
              { provider },
            )}
          </p>
        </div>
        <noscript>
          <p className="p-4">
            {tr('Chat needs JavaScript. <a>Send us a message instead</a>', {
              a: words => (
                <a className="prose-link" href={paths.contact}>
                  {words}
                </a>
              ),
            })}
          </p>
        </noscript>
        <iframe
          title={t('Chat by {provider}', { provider })}
          src={frame}
          sandbox={allowed}
          referrerPolicy="no-referrer"
        />
      </div>
    </aside>
  )
}
