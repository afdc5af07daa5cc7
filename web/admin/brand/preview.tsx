import {
  type BrandTheme,
  brandThemes,
  customProperties,
  nearestUsable,
  ownAccents,
  tokens,
} from '#shared/brand.ts'
import { type BrandValues, getBrand, getLogo, type Picture } from '#shared/contract/brand.ts'
import { dressEmail } from '#shared/email-look.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { lookProperties } from '#shared/look.ts'
import { useRead } from '#web/api/read.ts'
import { EmailView } from '#web/components/email-view.tsx'
import { Wordmark } from '#web/components/wordmark.tsx'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { FailedState, Loading } from '#web/ui/states.tsx'

const titles: Record<BrandTheme, string> = { light: msg('Light theme'), dark: msg('Dark theme') }

/** A page's parts and an email in both themes, as they look after an approval. */
export function LookPreview({ look }: { look: BrandValues }) {
  const own = useRead(getBrand, {})
  const light = usePicture(look.logo?.light)
  const dark = usePicture(look.logo?.dark ?? undefined)
  const failed = [own, light, dark].filter(({ isError }) => isError)
  if (failed.length > 0) {
    const retry = () => {
      for (const { refetch } of failed) void refetch()
    }
    return <FailedState onRetry={retry}>{t('The preview could not be loaded.')}</FailedState>
  }
  const isReady =
    own.data && (look.logo === null || (light.url && (look.logo.dark === null || dark.url !== undefined)))
  if (!isReady) return <Loading label={t('Loading the preview')} lines={6} />
  const { email } = own.data
  const shown = usable(look)
  const urlOf = ({ file }: Picture) => (file === look.logo?.dark?.file ? dark.url : light.url) ?? ''
  return (
    <div className="mt-3 grid grid-cols-1 gap-x-4 gap-y-6 sm:grid-cols-2">
      {brandThemes.map(theme => (
        <figure key={theme} className="grid min-w-0 grid-cols-1 content-start gap-2">
          <figcaption className="text-ink-soft text-sm">{translate(titles[theme])}</figcaption>
          <Pane properties={lookProperties(shown, theme, urlOf)} theme={theme} />
          <div inert className="overflow-hidden rounded-md border border-rule">
            <EmailView html={dressed(email, shown, light.url)} theme={theme} />
          </div>
        </figure>
      ))}
    </div>
  )
}

/** Colours that could not be read are shown as the nearest shades that can. */
function usable({ accent, logo }: BrandValues): BrandValues & { accent: NonNullable<BrandValues['accent']> } {
  const { light, dark } = accent ?? ownAccents
  return { accent: { light: nearestUsable(light, 'light'), dark: nearestUsable(dark, 'dark') }, logo }
}

/** An uploaded logo as an address; undefined until it is there. */
function usePicture(picture: Picture | undefined) {
  const { data, isError, refetch } = useRead(
    getLogo,
    { params: { file: picture?.file ?? '' } },
    { enabled: picture !== undefined },
  )
  const url = data && picture && `data:image/png;base64,${data.base64}`
  return { url, isError: picture !== undefined && isError, refetch }
}

function dressed(email: string, look: ReturnType<typeof usable>, src: string | undefined): string {
  const { accent, logo } = look
  const picture = logo && src !== undefined ? { ...logo.light, withName: logo.withName, src } : null
  return dressEmail(email, { accents: accent, logo: picture })
}

function Pane({ properties, theme }: { properties: [string, string][]; theme: BrandTheme }) {
  const { firm } = useSite()
  function dress(pane: HTMLElement | null) {
    pane?.removeAttribute('style')
    for (const [property, value] of [...customProperties(tokens[theme]), ...properties]) {
      pane?.style.setProperty(property, value)
    }
  }
  return (
    <div ref={dress} className="grid content-start gap-4 rounded-md border border-rule bg-paper p-4 text-ink">
      <div className="flex flex-wrap items-center justify-between gap-3 border-rule border-b pb-3">
        <Wordmark name={firm.productName} />
        <span className="text-accent text-sm">{t('Current page')}</span>
      </div>
      <p className="text-sm">
        {tr('Text with <link>a link</link>, and <row>a chosen row</row>.', {
          link: words => <span className="prose-link">{words}</span>,
          row: words => <span className="bg-accent-soft px-1.5 py-0.5 text-accent">{words}</span>,
        })}
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <span className={buttonClass({ size: 'sm' })}>{t('A button')}</span>
        <span
          className={cx(
            buttonClass({ tone: 'quiet', size: 'sm' }),
            'outline-2 outline-accent outline-offset-2',
          )}
        >
          {t('In focus')}
        </span>
      </div>
    </div>
  )
}
