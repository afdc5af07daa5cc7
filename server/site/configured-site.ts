import type { Config } from '#server/config.ts'
import { offeredMethods } from '#server/rails/rails.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { site } from '#shared/contract/site.ts'

type Configured =
  | 'mode'
  | 'depositMethods'
  | 'withdrawalWallets'
  | 'addressWaitHours'
  | 'liveChat'
  | 'demoWallet'

/** The part of the site call that depends on the configuration alone. */
export function configuredSite(config: Config): Pick<CallData<typeof site>, Configured> {
  return {
    mode: config.mode,
    depositMethods: offeredMethods(config),
    withdrawalWallets: config.withdrawalWallets,
    addressWaitHours: config.addressWaitHours,
    liveChat: config.liveChat,
    demoWallet: config.demoChain !== null,
  }
}
