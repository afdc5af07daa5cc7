import type { DepositMethod } from '#shared/coins.ts'
import type { Chain } from './chain.ts'
import type { RailConfig } from './rails.ts'

/** How each network is looked at; undefined where no node or service is configured for it. */
const makers: Record<DepositMethod, (rails: RailConfig['rails']) => Chain | undefined> = {
  bitcoin: () => undefined,
  usdt: () => undefined,
  ethereum: () => undefined,
}

/**
 * The side of a rail that looks at its network, for jobs alone; undefined where it is not looked at. It stands apart from
 * `railOf`, since whoever answers requests needs none of what it is made of.
 */
export function chainOf({ rails }: Pick<RailConfig, 'rails'>, method: DepositMethod): Chain | undefined {
  return makers[method](rails)
}
