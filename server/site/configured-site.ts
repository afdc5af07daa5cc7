import type { Config } from '#server/config.ts'
import { offeredMethods } from '#server/rails/rails.ts'
import { presentSettings, type Settings } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { SettingValues } from '#shared/contract/proposals.ts'
import type { site } from '#shared/contract/site.ts'

type Configured = 'mode' | 'depositMethods' | 'withdrawalWallets' | 'liveChat' | 'demoWallet'

/** The part of the site call that depends on the configuration alone. */
export function configuredSite(config: Config): Pick<CallData<typeof site>, Configured> {
  return {
    mode: config.mode,
    depositMethods: offeredMethods(config),
    withdrawalWallets: config.withdrawalWallets,
    liveChat: config.liveChat,
    demoWallet: config.demoChain !== null,
  }
}

type Decided =
  | 'largeWithdrawal'
  | 'minimumWithdrawal'
  | 'addressWaitHours'
  | 'paymentWindowMinutes'
  | 'registrationOpen'
  | 'depositsOpen'

/** The part of the site call that two admins decide. Limits of what is looked into are for staff only. */
export function decidedSite(settings: Settings): Pick<SettingValues, Decided> {
  const { largeWithdrawal, minimumWithdrawal, addressWaitHours, paymentWindowMinutes, ...others } =
    presentSettings(settings)
  const { registrationOpen, depositsOpen } = others
  return {
    largeWithdrawal,
    minimumWithdrawal,
    addressWaitHours,
    paymentWindowMinutes,
    registrationOpen,
    depositsOpen,
  }
}
