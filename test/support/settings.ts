/** A proposal of settings that the tests change where they need others. */
export const settingsBody = {
  largeWithdrawal: 200,
  minimumWithdrawal: 0,
  addressWaitHours: 0,
  paymentWindowMinutes: 15,
  largeReturn: 300,
  turnoverLimit: 50_000,
  reportingLimit: 10_000,
  dormantLimit: 1_000,
  identityLimit: null as number | null,
  fundsLimit: null as number | null,
  documentYears: 5,
  earningsSecondApproval: true,
  registrationOpen: true,
  depositsOpen: true,
  reason: 'More care from now on',
}
