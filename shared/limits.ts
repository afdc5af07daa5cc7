/** Limits that both server and pages enforce (K-04, D5, D9). */

/** Smallest deposit, in cents: 'Minimum deposit is $100'. */
export const minimumDepositCents = 10_000n
/** What a deposit costs the investor, in cents. */
export const depositChargeCents = 0n
/** Deposits of one investor that wait for their payment, and how many they can request in an hour: each may take an address for good. */
export const maximumOpenDeposits = 10
export const newDepositsPerHour = 20
/** How long a quote's rate is locked: the shortest until two admins choose a longer one, which invites bets on the rate. */
export const shortestPaymentWindowMinutes = 15
export const longestPaymentWindowMinutes = 60
/** A payment seen in its window keeps the locked rate if it confirms within this time after it. */
export const confirmationMinutes = 60
/** How long an address is watched after the payment window (D5). */
export const monitoringHours = 24
/**
 * A smaller payment is dust: staff see it, and we do not credit it. In satoshi (Bitcoin's own relay limit), gwei (some
 * cents of ether), and 10^-6 of a token (a cent).
 */
export const dustUnits = { BTC: 546n, ETH: 10_000n, USDT: 10_000n, USDC: 10_000n, TRX: 100_000n } as const
/**
 * Clocks of blocks may be off by this much, so a payment dated this long before its rate lock still counts at that
 * rate.
 */
export const blockClockMinutes = 120

/** Addresses in one proof of reserves. */
export const mostReserveAddresses = 50
/** Characters of an address, on any network. */
export const addressLength = { least: 26, most: 100 }

/** In characters. */
export const minimumPasswordLength = 6
/** Of staff, who act for the firm. */
export const staffPasswordLength = 12
/** In characters. Hashing longer passwords would let anyone keep the server busy. */
export const maximumPasswordLength = 200
/** Digits of the code in the verification email. */
export const verificationCodeLength = 6
export const verificationCodeMinutes = 10
export const verificationCodeTries = 5
export const verificationResendSeconds = 60
/** Digits of an authenticator app's code (RFC 6238). */
export const secondFactorDigits = 6
/** How long a new secret waits for its first correct code. */
export const secondFactorSetupMinutes = 30
/** Recovery codes created at a time. */
export const recoveryCodeCount = 10
/** How long an authenticator may take to answer a challenge. */
export const passkeyChallengeMinutes = 5
/** Passkeys per account. */
export const maximumPasskeys = 20
/** Lifetimes of access and refresh tokens (D9). */
export const accessTokenMinutes = 15
export const refreshTokenDays = 30
/** A session of staff ends when it is not used for so long (NIST SP 800-63B, AAL2). */
export const staffIdleHours = 12
/** An undecided proposal expires after this time. */
export const proposalDays = 7
/** An API key: its name in characters, its addresses and ranges, and how many days ahead its last day can be. */
export const longestIntegrationName = 60
export const maximumKeyAddresses = 20
export const apiKeyDays = 365
/** The widest ranges of addresses for an API key, as prefixes. */
export const widestIpv4Prefix = 16
export const widestIpv6Prefix = 32
/** How often the time of an API key's last use is stored. */
export const apiKeyUseSeconds = 60
/** Webhooks: the address in characters, how many there can be, and how long the former secret signs beside a new one. */
export const longestWebhookUrl = 500
export const maximumWebhooks = 5
export const formerSecretHours = 24
/** One attempt, and how long a worker that sends is believed to be alive. */
export const webhookRequestSeconds = 10
export const webhookLeaseSeconds = 40
/** Messages of one endpoint that one job sends before it makes room. */
export const webhookPart = 50
/** Pauses after failures: a minute, then twice as long each time up to the longest; given up after `webhookGiveUpHours`. */
export const longestWebhookPauseMinutes = 360
export const webhookGiveUpHours = 72
/** How long messages stay in the log. */
export const webhookLogDays = 30
/** In live mode, how long the owner of two-factor authentication can object to its reset before it can be approved. */
export const resetObjectionHours = 24
/** How long an invitation to the staff can be accepted. */
export const invitationHours = 72
/** How long a login or reauthentication counts for sensitive actions. */
export const reauthenticationMinutes = 10
/** The longest time that a new withdrawal address can wait, in hours. */
export const longestAddressWaitHours = 720
/** Label of an address in the address book, in characters. */
export const longestAddressLabel = 60
/** Addresses per book, and how many can be added in an hour: each is announced by email. */
export const maximumAddresses = 200
export const newAddressesPerHour = 10
/** Verification codes emailed to one address in an hour, for all requests together. */
export const codesPerHour = 6
/** How many of them everyone outside the account's sessions may request, so that its owner can always get one. */
export const strangersCodesPerHour = 3
/** A note about an account, in characters. */
export const longestNote = 4000
/** Rows per page of a list: the default, and the maximum (D8). */
export const defaultPageLimit = 50
export const maximumPageLimit = 200
/**
 * Records of one bulk call, how many of them share a transaction, and the size of the request in bytes. The console sends
 * `bulkStep` at a time, so that it can show progress and be stopped.
 */
export const maximumBulk = 1_000
export const bulkPart = 50
export const longestBulkBody = 512 * 1024
export const bulkStep = 100
/** Records that the console reads for one confirmation of all that match. */
export const maximumMatching = 10_000
/** Length of a search text in characters: the shortest one of the console's search, and the longest of any. */
export const shortestSearch = 2
export const longestSearch = 100
/** Results of each kind in one answer of the console's search. */
export const searchResults = 5
/** Filters that a member of staff can save for one list of the console, and the length of a name in characters. */
export const maximumSavedFilters = 20
export const longestFilterName = 60
/** How many rows are counted for a list's total; a larger total is shown as 'at least' (D8). */
export const countedRows = 1000
/** Age of the oldest price reading that may make a quote (D5). */
export const priceStaleMinutes = 5
/** A price reading that is dated further in the future than this is refused: it would not age. */
export const priceAheadSeconds = 30
/**
 * How far a reading may be from the middle one and still count, in percent; and how many sources must agree for a
 * quote, if that many are configured (decision 26).
 */
export const priceDeviationPercent = 2
export const agreeingPriceSources = 2
/** How long one request to a price source may take, and how large its answer may be, unpacked. */
export const priceRequestMilliseconds = 4_000
export const priceAnswerBytes = 512 * 1024
/** A price source is polled at most once in this time, for all callers. */
export const priceSourceRestSeconds = 20
/**
 * A price source pauses after this many consecutive failures: first for `priceBackOffSeconds`, then twice as long after
 * each further failure, up to the longest. We follow its own Retry-After for up to a day.
 */
export const priceSourceFailures = 3
export const priceBackOffSeconds = 60
export const longestPriceBackOffSeconds = 1_800
export const longestPriceWaitSeconds = 86_400
/** How long figures from the ledger are cached (D1.3); each shows its time. */
export const measuredSeconds = 60
/** The same for the cohorts of investors, which read every entry. */
export const cohortSeconds = 600

/** The cash flow looks so many weeks ahead and months back, and lists so many cohorts. */
export const cashFlowWeeks = 26
export const cashFlowMonths = 12
export const mostCohorts = 120
/** An older reading of an address says too little about what we hold now. */
export const heldReadingHours = 24

/**
 * The times of withdrawals are those within which half, and `usualShare` percent, of those paid in so many days were paid.
 * We show them only if at least `withdrawalTimesLeast` were, since fewer say little about the next one.
 */
export const withdrawalTimesDays = 90
export const usualShare = 90
export const withdrawalTimesLeast = 20

/** Withdrawals per payout batch. */
export const maximumPayouts = 50
/** Transactions per batch that sweeps deposits; a deposit whose address needs a top-up takes two. */
export const maximumSweepTransactions = 50
/** The least that a sweep moves on TRON, in 10^-6 USDT: a transfer can burn TRX worth several USDT. */
export const smallestTronSweepUnits = 10_000_000n
/** Addresses that a reading asks TRON for, because each takes up to three requests, which hold up the sync. */
export const tronHoldingsRead = 50
/** How long what addresses held at a reading counts for a sweep. */
export const holdingsMinutes = 15
/** Range of fee rates for a Bitcoin payout, in satoshi per virtual byte. */
export const lowestFeeRate = 1
export const highestFeeRate = 500
/** Most that one payout transaction of Ethereum may cost in fees, in gwei: 0.1 ETH. */
export const highestEthereumFeeGwei = 100_000_000
/** A higher network fee, in percent of the amount that a payout batch pays, needs explicit acceptance. */
export const plainFeeShare = 5
/** Length of a signed file as text, and of the request that carries it in bytes. */
export const longestSigned = 2_000_000
export const longestSignedBody = 2_100_000
/** How long we keep comparing a batch that ended with its network, in days. */
export const payoutWatchDays = 30
/** How recent a network's last sync must be for the absence of a transfer to prove anything. */
export const syncedWithinMinutes = 2
/** How long the transactions of a TRON payout file are valid; nodes accept at most 24 hours. */
export const tronSigningHours = 20
/** How long readings of balances on the chains are kept. */
export const coverageReadingDays = 400

/** Size of an evidence file: what a slow line can send before the request times out. */
export const maximumEvidenceBytes = 5 * 1024 * 1024
/** How long an evidence file waits for its return. */
export const unusedEvidenceDays = 1
/** A firm's logo: the size of its file, its width and height in pixels, and how wide it may be for its height. */
export const logoLimits = { bytes: 100 * 1024, least: 16, most: 2000, widest: 8, narrowest: 0.5 } as const
/** How long an uploaded logo waits for its proposal. */
export const unusedLogoDays = 1
/**
 * Messages to the firm and replies, in characters; the files of one message, and the size of each; and how long a file
 * waits for its message.
 */
export const longestMessage = 5_000
export const longestSubject = 200
export const maximumAttachments = 5
export const maximumAttachmentBytes = 5 * 1024 * 1024
export const unusedAttachmentDays = 1
/** Files of one person that no message has yet, and how much an account's files may take. */
export const maximumUnusedAttachments = 10
export const maximumAccountBytes = 100 * 1024 * 1024
/**
 * Replies by email: characters before the @ of their address without its token, the pause between two looks into the mailbox
 * in seconds, messages of one look, bytes of a message and of its headers, and emails about refusals to one person in an hour.
 */
export const longestReplyName = 18
export const replyPollSeconds = 30
export const mostRepliesAtOnce = 50
export const maximumReplyBytes = 36 * 1024 * 1024
export const maximumReplyHeaderBytes = 64 * 1024
export const replyRefusalsAnHour = 5
/** Prepared answers for replies, and the title of one in characters, as a CHECK of app.canned_answers says too. */
export const maximumAnswers = 200
export const longestAnswerTitle = 80
/** An announcement to all investors, in characters. */
export const longestAnnouncementTitle = 120
export const longestAnnouncement = 2_000
/** How many days ahead the last day of an announcement can be, as a CHECK of app.announcements says too. */
export const announcementDays = 366
/** Messages of one conversation; a longer one goes on in another. */
export const maximumThread = 500
/** How long past rates are kept for late payments. */
export const priceHistoryDays = 60

/**
 * Alerts for staff: how many of a kind can be open, the pause between two emails to one person, how long a sync must fail,
 * and how long closed ones are kept.
 */
export const mostOpenAlerts = 1_000
export const alertMailMinutes = 15
export const networkAlertMinutes = 15
export const lateScreeningMinutes = 60
export const closedAlertDays = 30

/**
 * Published lists: the largest file in bytes, how long its download may take, how many redirects it follows, the hour (UTC) from which
 * each is fetched once a day, and after how many days without a check staff are alerted.
 */
export const maximumListBytes = 512 * 1024 * 1024
export const listDownloadMinutes = 10
export const listRedirects = 5
export const listHour = 4
export const staleListDays = 2

/**
 * Out of 100 entries (or wallets) in force, how many a newer file must have: fetched by a worker, or imported by a person who has read
 * it. The second is also a guard of the database (0075_sanctions.sql).
 */
export const listShareFetched = 80
export const listShareManual = 50

/** Names of politically exposed persons that a file may have: the thread that compares names keeps them in memory. */
export const maximumPepNames = 300_000
/** How long staff are told that a politically exposed person is on the list again. */
export const returnedExposureDays = 30
/** Entries of a list that one statement of an import stores. */
export const listPage = 10_000

/** Words of a person's name. */
export const mostNameWords = 20

/**
 * Names that are compared with the sanctions lists in one transaction, at most how many matches it stores, how long one job goes on, and the most entries that one name is
 * matched with.
 */
export const screeningPage = 200
export const screeningMatches = 1_000
export const screeningSeconds = 45
export const mostNameHits = 100

/** Goals of one investor, the length of a name in characters, and how long a removed one that was never reached is kept. */
export const maximumGoals = 10
export const longestGoalName = 60
export const removedGoalDays = 30
/** The most days before an investment ends that its owner can be told, as a CHECK of app.ending_alerts says too. */
export const longestEndingAlert = 90

/** Browsers of one person that show notifications, and the length of a push service's address in characters. */
export const maximumPushDevices = 10
export const longestPushEndpoint = 1_000
/** How long a notification is worth sending to a browser that is away. */
export const pushHours = 24
/** The waits that a push service can ask for: with a shorter one it would get the message over and over. */
export const shortestPushWaitSeconds = 60
export const longestPushWaitSeconds = 3_600
/** Notices that a device is remembered to have been sent, so that none comes twice. */
export const rememberedPushes = 100

/** Days on which plans end that an investor's overview shows. */
export const mostEndings = 100

/**
 * Retention (server/jobs/clean-up.ts): sessions after their end, emailed codes and links after their expiry, the
 * demonstration's emails, notifications after they were read, jobs after their last attempt.
 */
export const endedSessionDays = 90
export const expiredCodeDays = 7
export const mailboxDays = 90
export const readNotificationDays = 365
export const failedJobDays = 30
/** How long we return the first answer to an Idempotency-Key (D8); afterwards the key is used up. */
export const idempotencyKeyDays = 30
/** Postings per PDF statement; the CSV has no limit. */
export const maximumPdfLines = 2000
/** Archives of all their data that a person can download in a day, and the newest letters in each. */
export const archivesPerDay = 5
export const archivedLetters = 100
/** For how long a preview of a plan's earnings can be confirmed. */
export const planPreviewMinutes = 60
/** Investments whose earnings are added in one transaction. A plan with no more is done within the confirmation. */
export const earningPart = 1_000
/** Such parts that one job adds, in about a second. */
export const partsPerJob = 10
/** Skipped investments that a run of earnings lists; its counts have all. */
export const listedSkips = 100
/** Points per series of balances; longer periods use weeks or months instead of days. */
export const seriesPoints = 400

/** A policy's text and the summary of what changed, in characters. */
export const longestPolicy = 60_000
export const longestPolicyChanges = 2_000
/** Size in bytes of a request with a policy in every language: four bytes a character, escaped. */
export const longestPolicyBody = 2 * 1024 * 1024
/** How many days investors have before changed terms come into force, as a CHECK of app.policies says too. */
export const termsNoticeDays = 14
/** How many days ahead a policy can come into force. */
export const policyDaysAhead = 366
/** Past versions of a policy that its page shows; the API has every one. */
export const shownPolicyVersions = 10
/** The age in years that people state when they register, as app.users says too. */
export const leastAge = 18

/** The days whose movements the rules of monitoring add up, and after how many days without movements the next one counts. */
export const monitoredDays = 7
export const dormantDays = 180
/** Just below a limit: so many movements, each of at least this part of it, in percent. Also the part that passes through. */
export const structuredMovements = 3
export const nearPercent = 80
/** The limits of the rules before two admins have decided others, in cents. */
export const firstTurnoverLimitCents = 5_000_000n
export const firstReportingLimitCents = 1_000_000n
export const firstDormantLimitCents = 100_000n
/** How far each run of the rules looks back before the last one, for transactions that were open then. */
export const caseOverlapMinutes = 10
/** Accounts in one transaction of the rules, and movements on the page of a case. */
export const casePage = 200
export const mostCaseMovements = 1_000
/** How long movements cannot be read before staff are told. */
export const lateMonitoringMinutes = 60

/**
 * Proof of identity (decision 180): days over which withdrawals are added up, how long a proof is good for, and how many days before its
 * end its owner is reminded.
 */
export const identityPeriodDays = 365
export const identityValidYears = 3
export const identityReminderDays = 30
/** Files: bytes of one, those of a proof of funds, and how long one waits to be sent with its form. */
export const maximumIdentityFileBytes = 8 * 1024 * 1024
export const mostFundsFiles = 3
export const unsentIdentityHours = 24
/** Proofs that a person can send in 24 hours. */
export const identityChecksPerDay = 5
/** Open sessions of the provider that one run asks about, the longest waiting first. */
export const sessionsPerRun = 50
/** How long documents are kept: those that were sent back, and, until two admins decide otherwise, those of former customers. */
export const returnedDocumentDays = 30
export const firstDocumentYears = 5
export const longestDocumentYears = 10
/** The oldest person whose date of birth is accepted, in years. */
export const oldestAge = 120
