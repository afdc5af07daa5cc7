import icon192 from '#pictures/icon-192.png?url'
import icon512 from '#pictures/icon-512.png?url'
import maskable192 from '#pictures/maskable-192.png?url'
import maskable512 from '#pictures/maskable-512.png?url'
import { site } from '#shared/contract/site.ts'
import icon from '#web/icon.svg?url'
import { paths } from '#web/paths.ts'
import { read } from '#web/server/host.ts'
import { paper } from '#web/styles/paper.ts'
import type { Visit } from './page-data.ts'

const png = (src: string, side: number, purpose: 'any' | 'maskable') => {
  return { src, type: 'image/png', sizes: `${side}x${side}`, purpose }
}

/** /manifest.webmanifest: how the product appears when installed on a phone. */
export async function respond({ host }: Visit) {
  const { firm, mode } = await read(host, site, {})
  const manifest = {
    name: mode === 'demo' ? `${firm.productName} (demonstration)` : firm.productName,
    short_name: firm.productName,
    lang: 'en',
    id: paths.home,
    scope: paths.home,
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
      { name: 'Deposit', url: paths.dashboard.deposit },
      { name: 'Withdraw Funds', url: paths.dashboard.withdrawals },
      { name: 'Statement', url: paths.dashboard.statement },
      { name: 'Messages', url: paths.dashboard.messages },
    ],
  }
  return Response.json(manifest, { headers: { 'Content-Type': 'application/manifest+json' } })
}
