import { msg } from '#shared/i18n/t.ts'
import { defineCall } from './define.ts'
import { deposit, investment, withdrawal } from './entities.ts'
import { idParams } from './fields.ts'

/** An investor cancels their own pending requests. */

export const cancelDeposit = defineCall({
  id: 'deposit.cancel',
  method: 'POST',
  path: '/deposit/cancel/:id',
  permission: 'account',
  money: true,
  summary:
    'pending → declined by the caller, whose deposit it is, together with the investment that it was to pay; refused once its payment is seen. A payment that arrives after all is credited',
  message: msg('Deposit cancelled'),
  params: idParams,
  data: deposit,
  refusals: ['account_frozen', 'forbidden', 'wrong_state'],
})

export const cancelInvestment = defineCall({
  id: 'investment.cancel',
  method: 'POST',
  path: '/investment/cancel/:id',
  permission: 'account',
  money: true,
  summary:
    'pending → declined by the caller, whose investment it is: held or received money is available again; refused while its payment is seen and not credited yet',
  message: msg('Investment cancelled'),
  params: idParams,
  data: investment,
  refusals: ['account_frozen', 'forbidden', 'wrong_state'],
})

export const cancelWithdrawal = defineCall({
  id: 'withdrawal.cancel',
  method: 'POST',
  path: '/withdrawal/cancel/:id',
  permission: 'account',
  money: true,
  summary: 'pending → declined by the caller, whose withdrawal it is, and releases the hold',
  message: msg('Withdrawal cancelled'),
  params: idParams,
  data: withdrawal,
  refusals: ['account_frozen', 'forbidden', 'wrong_state'],
})
