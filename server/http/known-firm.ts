import type { Services } from '#server/context.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { firmInForce, lastReadFirm } from '#server/firm/queries.ts'
import type { FirmProfile } from '#shared/contract/site.ts'

/** The firm's current profile, or what this process knows of it if the database is unavailable. */
export function knownFirm({ db, config }: Pick<Services, 'db' | 'config'>): Promise<FirmProfile> {
  return firmInForce(db, config).catch(() => lastKnownFirm(config))
}

/** The firm's profile as this process has read it last, or else the configured one. */
export function lastKnownFirm(config: Services['config']): FirmProfile {
  return lastReadFirm(config) ?? config.firm ?? sampleFirm
}
