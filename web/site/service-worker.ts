import inter from '#fonts/inter.woff2?url'
import newsreader from '#fonts/newsreader.woff2?url'
import icon from '#pictures/icon-192.png?url'
import { site } from '#shared/contract/site.ts'
import { workerScript } from '#web/server/client-files.ts'
import { read } from '#web/server/host.ts'
import { serverPaths } from '#web/server/paths.ts'
import styles from '#web/styles/app.css?url'
import type { Visit } from './page-data.ts'

/**
 * /sw.js: the service worker, which browsers request again at every visit. Its text changes with the script, and with what the
 * offline page shows, so that browsers then install it anew.
 */
export async function respond({ host }: Visit) {
  const { firm, brand, mode, policies } = await read(host, site, {})
  const look = brand ? [brand.stylesheet, ...brand.pictures] : []
  const files = [styles, inter, newsreader, ...look]
  const shown = JSON.stringify([files, firm, mode, policies, workerScript()])
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(shown))
  const version = btoa(String.fromCharCode(...new Uint8Array(hash)))
  const offline = { page: serverPaths.offline, files, version, icon }
  host.bringScripts()
  const text = `self.offline = ${JSON.stringify(offline)}\nimportScripts(${JSON.stringify(workerScript())})\n`
  return new Response(text, { headers: { 'Content-Type': 'text/javascript; charset=utf-8' } })
}
