import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import { act, type Binding, query } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import * as call from '#shared/contract/brand.ts'
import { sampleEmail } from './email.ts'
import { logoContent, storeLogo } from './logos.ts'
import { currentBrand } from './queries.ts'
import { proposeBrand } from './service.ts'

export const routes: Binding[] = [
  query(call.getBrand, async (_input, { services }) => {
    const { values, changedAt } = await currentBrand(services.db)
    const email = sampleEmail(await currentFirm(services.db, services.config), services.config)
    return { values, changedAt: changedAt?.toISOString() ?? null, email }
  }),

  act(call.uploadLogo, ({ body }, ctx, tx) => storeLogo(tx, ctx, body)),

  query(call.getLogo, async ({ params: { file } }, { services }) => ({
    base64: (await logoContent(services.db, file)).toString('base64'),
  })),

  act(call.proposeBrand, async ({ body }, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return { proposal: await proposeBrand(tx, ctx, body) }
  }),
]
