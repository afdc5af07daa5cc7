import type { Services } from '#server/context.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { firmInForce } from '#server/firm/queries.ts'
import type { FirmProfile } from '#shared/contract/site.ts'

/** The firm's current profile, or the configured one if the database is unavailable. */
export function knownFirm({ db, config }: Pick<Services, 'db' | 'config'>): Promise<FirmProfile> {
  return firmInForce(db, config).catch(() => config.firm ?? sampleFirm)
}
