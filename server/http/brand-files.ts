import type { FastifyInstance } from 'fastify'
import { publishedLogo } from '#server/brand/logos.ts'
import { currentBrand } from '#server/brand/queries.ts'
import { stylesheetOf } from '#server/brand/stylesheet.ts'
import type { Services } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { brandFolder } from '#shared/look.ts'

const immutable = 'public, max-age=31536000, immutable'

/** The firm's look as files of this origin (decision 168). */
export function serveBrandFiles(app: FastifyInstance, { db }: Services): void {
  app.get(`${brandFolder}/:name.css`, async (request, reply) => {
    const sheet = stylesheetOf((await currentBrand(db)).values)
    if (sheet === null) throw unknown()
    // A page from before a change gets today's look, which must not stay at the former one's address.
    reply.header('cache-control', request.url === sheet.path ? immutable : 'no-cache')
    return reply.type('text/css; charset=utf-8').send(sheet.text)
  })

  app.get<{ Params: { file: string } }>(`${brandFolder}/:file.png`, async ({ params }, reply) => {
    const content = /^[0-9a-f]{64}$/.test(params.file) ? await publishedLogo(db, params.file) : undefined
    if (content === undefined) throw unknown()
    return reply.header('cache-control', immutable).type('image/png').send(content)
  })
}

function unknown(): AppError {
  return new AppError('not_found', t('There is no such file'))
}
