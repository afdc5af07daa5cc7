/** The limits that both sides enforce, in one place (K-04, D5, D9). */

/** Smallest deposit, in cents: 'Minimum deposit is $100'. */
export const minimumDepositCents = 10_000n
/** What a deposit costs the investor, in cents. */
export const depositChargeCents = 0n
/** How long a quote's rate is locked, in minutes. */
export const paymentWindowMinutes = 15
/** How long an address is watched after its window, in hours (D5). */
export const monitoringHours = 24
/**
 * Below this a payment seen on its network is dust: it is told to the firm and not credited. Bitcoin's own limit, below which nodes pass
 * nothing on, in satoshi; some cents of ether, in gwei; a cent of a token in 10^-6.
 */
export const dustUnits = { BTC: 546n, ETH: 10_000n, USDT: 10_000n, USDC: 10_000n } as const
/** How long before its rate was locked a payment may have come and still count at it, in minutes: clocks of blocks differ by so much. */
export const blockClockMinutes = 120

/** Shortest password, in characters. */
export const minimumPasswordLength = 6
/** Longest password, in characters: hashing longer ones would be a way to keep the server busy. */
export const maximumPasswordLength = 200
/** Digits of the code in the verification email. */
export const verificationCodeLength = 6
export const verificationCodeMinutes = 10
export const verificationCodeTries = 5
export const verificationResendSeconds = 60
/** Digits of an authenticator app's code (RFC 6238). */
export const secondFactorDigits = 6
/** How long a secret waits for its first right code, in minutes. */
export const secondFactorSetupMinutes = 30
/** Recovery codes that are made at a time. */
export const recoveryCodeCount = 10
/** How long an authenticator may take to answer a challenge, in minutes. */
export const passkeyChallengeMinutes = 5
/** Passkeys of one account at most. */
export const maximumPasskeys = 20
/** Access token's life, in minutes; refresh token's, in days (D9). */
export const accessTokenMinutes = 15
export const refreshTokenDays = 30
/** A proposal that nobody has decided by then has expired. */
export const proposalDays = 7
/** In live mode, how long the owner of second factors has to object before their reset can be approved. */
export const resetObjectionHours = 24
/** How long an invitation to the staff can be accepted, in hours. */
export const invitationHours = 72
/** How long a login or reauthentication counts for sensitive actions, in minutes. */
export const reauthenticationMinutes = 10
/** The label of an address in the address book, in characters. */
export const longestAddressLabel = 60
/** Addresses of one book at most, and how many may come into it in an hour: each is announced by email. */
export const maximumAddresses = 200
export const newAddressesPerHour = 10
/** Verification codes that are mailed to one address in an hour at most, for all requests. */
export const codesPerHour = 6
/** A note about an account, in characters. */
export const longestNote = 4000
/** Rows of a list call where none is asked for, and at most (D8). */
export const defaultPageLimit = 50
export const maximumPageLimit = 200
/** Rows of a list that are counted for its total at most; beyond it the total is told as 'at least' (D8). */
export const countedRows = 1000
/** Oldest price reading that may make a quote, in minutes (D5). */
export const priceStaleMinutes = 5
/**
 * How far a reading may lie from the middle one of all, in percent, and still count; and how many sources have to agree
 * before a quote is made, where so many are configured (decision 26).
 */
export const priceDeviationPercent = 2
export const agreeingPriceSources = 2
/** How long a price source may take for one request, in milliseconds, and how large its answer may be, unpacked, in bytes. */
export const priceRequestMilliseconds = 4_000
export const priceAnswerBytes = 512 * 1024
/** A price source is asked once in this time at most, in seconds, for all callers. */
export const priceSourceRestSeconds = 20
/**
 * After so many failures in a row a price source is left alone: for the first time at first, twice as long after each further
 * failure, and never longer than the longest. One that says itself how long to wait is believed up to a day. In seconds.
 */
export const priceSourceFailures = 3
export const priceBackOffSeconds = 60
export const longestPriceBackOffSeconds = 1_800
export const longestPriceWaitSeconds = 86_400
/** How long figures measured from the ledger are shown before they are measured anew (D1.3); each says when it was. */
export const measuredSeconds = 60

/** Withdrawals that one payout batch pays at most. */
export const maximumPayouts = 50
/** Fee rates that a Bitcoin payout can be made with, in satoshi for a virtual byte. */
export const lowestFeeRate = 1
export const highestFeeRate = 500
export const feeRateWords = `Enter a whole number from ${lowestFeeRate} to ${highestFeeRate}, such as 12`
/** A network fee above this share of what a payout batch pays is accepted explicitly, in percent. */
export const plainFeeShare = 5
/** How long we keep watching the chain for a paid or cancelled batch, in days. */
export const payoutWatchDays = 30
/** How recent a network's last sync must be for the absence of a transfer to prove anything, in minutes. */
export const syncedWithinMinutes = 2
/** How long the transactions of a TRON payout file are valid, in hours; nodes accept 24 at most. */
export const tronSigningHours = 20
/** How long readings of what lies on the chains are kept, in days. */
export const coverageReadingDays = 400

/** The largest file of evidence, in bytes: what a slow line sends within the time that a request may take. */
export const maximumEvidenceBytes = 5 * 1024 * 1024
/** How long a file waits for the return that it is to prove, in days. */
export const unusedEvidenceDays = 1
/** How long the rates of the past are kept for payments that arrive late, in days. */
export const priceHistoryDays = 60

/**
 * How long what has served its time is kept, in days, before a job removes it (server/jobs/clean-up.ts): sessions after
 * they ended, mailed codes and links after they expired, emails in the mailbox of a demonstration, notifications after
 * they were read, jobs after they failed for good.
 */
export const endedSessionDays = 90
export const expiredCodeDays = 7
export const mailboxDays = 90
export const readNotificationDays = 365
export const failedJobDays = 30
/** How long the answer to an Idempotency-Key is given again, in days (D8); afterwards the key is used up. */
export const idempotencyKeyDays = 30
/** Postings in a statement as PDF at most; the CSV has no limit. */
export const maximumPdfLines = 2000
/**
 * Earnings that one confirmation adds for a plan at most, the oldest investments first; and how long, in minutes, what was
 * previewed can be confirmed.
 */
export const maximumPlanEarnings = 10_000
export const planPreviewMinutes = 60
/** Points of a series of balances at most, before the days become weeks, and the weeks months. */
export const seriesPoints = 400
