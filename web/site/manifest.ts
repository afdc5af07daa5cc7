import icon192 from '#pictures/icon-192.png?url'
import icon512 from '#pictures/icon-512.png?url'
import maskable192 from '#pictures/maskable-192.png?url'
import maskable512 from '#pictures/maskable-512.png?url'
import { site } from '#shared/contract/site.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { languages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import icon from '#web/icon.svg?url'
import { paths } from '#web/paths.ts'
import { read } from '#web/server/host.ts'
import { paper } from '#web/styles/paper.ts'
import type { Visit } from './page-data.ts'

const png = (src: string, side: number, purpose: 'any' | 'maskable') => {
  return { src, type: 'image/png', sizes: `${side}x${side}`, purpose }
}

export const inEachLanguage = true

/** /manifest.webmanifest: how the product appears when installed on a phone. */
export async function respond({ host }: Visit) {
  const { firm, mode } = await read(host, site, {})
  const language = languageNow()
  const manifest = {
    name: mode === 'demo' ? t('{product} (demonstration)', { product: firm.productName }) : firm.productName,
    short_name: firm.productName,
    lang: language,
    dir: languages[language].direction,
    // In every language it is one app, with the whole site in it.
    id: '/',
    scope: '/',
    start_url: paths.dashboard.home,
    display: 'standalone',
    background_color: paper.light,
    theme_color: paper.light,
    icons: [
      { src: icon, type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
      png(icon192, 192, 'any'),
      png(icon512, 512, 'any'),
      png(maskable192, 192, 'maskable'),
      png(maskable512, 512, 'maskable'),
    ],
    shortcuts: [
      { name: t('Deposit'), url: paths.dashboard.deposit },
      { name: t('Withdraw Funds'), url: paths.dashboard.withdrawals },
      { name: t('Statement'), url: paths.dashboard.statement },
      { name: t('Messages'), url: paths.dashboard.messages },
    ],
  }
  return Response.json(manifest, { headers: { 'Content-Type': 'application/manifest+json' } })
}
