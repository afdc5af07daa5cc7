import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import { escapeHtml } from '#server/platform/html.ts'
import { inLanguage } from '#server/platform/language.ts'
import { firmIn } from '#shared/firm-in-language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { legalWords } from '#shared/legal.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { type Document, type DocumentCache, documentOf, type Rendered } from './document-cache.ts'
import { knownFirm } from './known-firm.ts'
import { sendDocument } from './send-document.ts'

/** Swagger UI uses inline styles; its scripts are files of this origin. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Hides the bar for opening other documents. */
const start = `addEventListener('load', () => SwaggerUIBundle({
  url: '/api/openapi.json', dom_id: '#swagger-ui', layout: 'BaseLayout',
  docExpansion: 'none', deepLinking: true, validatorUrl: null,
}))`

const types = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** The contract to browse at /api/docs: Swagger UI, with the notices of every page (P-14). */
export function apiDocs(api: FastifyInstance, services: Services, documents: DocumentCache): void {
  const page = `${api.prefix}/docs`
  const render = () => renderPage(services, page)
  api.get('/docs', async (request, reply) => {
    const document = documents.find(page) ?? (await documents.make(page, render))
    return sendDocument(document, request, reply.header('vary', 'accept-encoding'))
  })
  for (const [name, file] of files()) {
    api.get(`/docs/static/${name}`, (request, reply) =>
      sendDocument(file, request, reply.header('vary', 'accept-encoding')),
    )
  }
}

/** Made once, and compressed on first use. */
function files(): Map<string, Document> {
  const file = (type: string, body: Buffer) =>
    documentOf({ status: 200, headers: { 'content-type': type, 'content-security-policy': policy }, body })
  const { resolve } = createRequire(import.meta.url)
  const ofPackage = Object.entries(types).map(
    ([name, type]) =>
      [name, file(type, readFileSync(resolve(`@fastify/swagger-ui/static/${name}`)))] as const,
  )
  return new Map([...ofPackage, ['start.js', file('text/javascript; charset=utf-8', Buffer.from(start))]])
}

async function renderPage(services: Services, page: string): Promise<Rendered> {
  const { mode } = services.config
  const banner =
    mode === 'demo'
      ? `<aside class="demonstration" aria-label="Demonstration">${escapeHtml(demonstrationNotice)}</aside>`
      : ''
  const firm = await knownFirm(services)
  const legal = inLanguage(sourceLanguage, () => legalWords(firmIn(firm, sourceLanguage), mode)).map(
    words => `<p>${escapeHtml(words)}</p>`,
  )
  const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documentation · ${escapeHtml(firm.productName)}</title>
<link rel="icon" type="image/png" href="${page}/static/favicon-32x32.png">
<link rel="stylesheet" href="${page}/static/swagger-ui.css">
<style>
  body { margin: 0; font: 14px/1.6 system-ui, sans-serif }
  .demonstration { position: sticky; top: 0; z-index: 1; padding: 4px 16px; background: #fbf1dc; color: #7a4d00; font-size: 12px; text-align: center }
  .legal { max-width: 1460px; margin: 0 auto; padding: 16px 20px; color: #5b6168 }
</style>
</head>
<body>
${banner}
<div id="swagger-ui"></div>
<footer class="legal">${legal.join('')}<p><a href="/">Back to the home page</a></p></footer>
<script src="${page}/static/swagger-ui-bundle.js"></script>
<script src="${page}/static/start.js"></script>
</body>
</html>
`
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  return { status: 200, headers, body: Buffer.from(html), until: Number.POSITIVE_INFINITY }
}
