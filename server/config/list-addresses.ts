import type { NameList } from '#shared/sanctions.ts'
import type { Environment } from './environment.ts'

/** Where a worker fetches the file of each list every day. */
export type ListAddresses = Partial<Record<NameList, string>>

type Given = Partial<
  Pick<Environment, 'SANCTIONS_OFAC_URL' | 'SANCTIONS_UN_URL' | 'SANCTIONS_EU_URL' | 'PEP_LIST_URL'>
>

export function listAddressesOf({
  SANCTIONS_OFAC_URL: ofac,
  SANCTIONS_UN_URL: un,
  SANCTIONS_EU_URL: eu,
  PEP_LIST_URL: pep,
}: Given): ListAddresses {
  return {
    ...(ofac && { ofac_sdn: ofac }),
    ...(un && { un_sc: un }),
    ...(eu && { eu_fsf: eu }),
    ...(pep && { pep }),
  }
}
