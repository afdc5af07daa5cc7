import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import { escapeHtml } from '#server/platform/html.ts'
import { legalWords } from '#shared/legal.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { knownFirm } from './known-firm.ts'

/** Swagger UI uses inline styles; its scripts are files of this origin. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const head = `<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  body { margin: 0; font: 14px/1.6 system-ui, sans-serif }
  .demonstration { position: sticky; top: 0; z-index: 1; padding: 4px 16px; background: #fbf1dc; color: #7a4d00; font-size: 12px; text-align: center }
  .legal { max-width: 1460px; margin: 0 auto; padding: 16px 20px; color: #5b6168 }
</style>`

const title = 'API documentation'
const wayHome = '<p><a href="/">Back to the home page</a></p>'

/** The contract to browse at /api/docs: Swagger UI, with the notices of every page (P-14). */
export async function apiDocs(
  api: FastifyInstance,
  services: Services,
  preHandler: () => Promise<void>,
): Promise<void> {
  await api.register(async docs => {
    docs.addHook('onSend', async (_request, reply, payload) => {
      const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
      // A file of Swagger UI is a stream; send it unchanged.
      return isPage && typeof payload === 'string' ? framed(payload, services) : payload
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // Without a trailing slash in the address, relative links start from here.
      indexPrefix: api.prefix,
      uiHooks: { preHandler },
      staticCSP: policy,
      theme: { title },
      // Hides the bar for opening other documents.
      uiConfig: { docExpansion: 'none', deepLinking: true, validatorUrl: null, layout: 'BaseLayout' },
    })
  })
}

async function framed(html: string, services: Services): Promise<string> {
  const { mode } = services.config
  const banner =
    mode === 'demo'
      ? `<aside class="demonstration" aria-label="Demonstration">${escapeHtml(demonstrationNotice)}</aside>`
      : ''
  const firm = await knownFirm(services)
  const legal = legalWords(firm, mode).map(words => `<p>${escapeHtml(words)}</p>`)
  return html
    .replace(`<title>${title}`, () => `<title>${title} · ${escapeHtml(firm.productName)}`)
    .replace('</head>', () => `${head}</head>`)
    .replace('<body>', () => `<body>${banner}`)
    .replace('</body>', () => `<footer class="legal">${legal.join('')}${wayHome}</footer></body>`)
}
