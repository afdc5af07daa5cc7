import type { Services } from '#server/context.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { currentFirm } from '#server/records/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'

/** The firm as it is now, or as it was configured where the database is away. */
export function knownFirm({ db, config }: Pick<Services, 'db' | 'config'>): Promise<FirmProfile> {
  return currentFirm(db, config).catch(() => config.firm ?? sampleFirm)
}
