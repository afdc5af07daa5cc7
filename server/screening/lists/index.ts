import type { NameList } from '#shared/sanctions.ts'
import { readEu } from './eu.ts'
import type { SanctionsFile } from './list.ts'
import { readOfac } from './ofac.ts'
import { readPep } from './pep.ts'
import { readUn } from './un.ts'

/** Reads a file of each list. Throws UnreadableList if it is not the whole of that list. */
export const readers: Record<NameList, (content: AsyncIterable<Uint8Array>) => Promise<SanctionsFile>> = {
  ofac_sdn: readOfac,
  un_sc: readUn,
  eu_fsf: readEu,
  pep: readPep,
}
