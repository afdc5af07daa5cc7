/** Sanctions lists that can be imported. */
export const sanctionsLists = ['ofac_sdn', 'un_sc', 'eu_fsf'] as const
export type SanctionsList = (typeof sanctionsLists)[number]

/** The publisher of each list, as we name it to people. */
const publishers: Record<SanctionsList, string> = {
  ofac_sdn: 'OFAC (the US Office of Foreign Assets Control)',
  un_sc: 'the United Nations Security Council',
  eu_fsf: 'the European Union',
}

/** Where an address is listed: the publisher's number of its owner, and their name there. */
export type Listing = { list: SanctionsList; entry: string; name: string }

/** 'on the sanctions list of OFAC (…), entry 25308'. */
export function listedWords({ list, entry }: Listing): string {
  return `on the sanctions list of ${publishers[list]}, entry ${entry}`
}
