import { z } from 'zod'
import { railNames } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { identityLevels } from '#shared/identity.ts'
import { longestNote } from '#shared/limits.ts'
import { payoutAddress } from './addresses.ts'
import { defineCall, listQuery } from './define.ts'
import {
  deposit,
  earning,
  investment,
  statementAccounts,
  statementKinds,
  syncErrorKinds,
  user,
  withdrawal,
} from './entities.ts'
import {
  cryptoText,
  id,
  idParams,
  lineNumber,
  nothing,
  optionalReasonBody,
  reasonBody,
  recordId,
  textBlock,
  timestamp,
  usd,
} from './fields.ts'
import { acceptedTerms } from './policies.ts'

/** The console beside its tables: the firm's summary, one account with its records, and postings. */

/** Open tasks of one kind, counted up to a limit. */
const waiting = z.object({ count: z.int(), isAtLeast: z.boolean() })

/** Money moved in whole UTC days, today included. */
const byPeriod = z.object({ today: usd, thirtyDays: usd, all: usd })

export const consoleSummary = defineCall({
  id: 'console.summary',
  method: 'GET',
  path: '/console/summary',
  permission: 'console',
  summary:
    'Open tasks, money in and out, what investors are owed and what covers it, from the ledger as of one moment',
  message: msg('Summary'),
  data: z.object({
    waiting: z.object({
      deposits: waiting,
      /** Deposits with a deviation or flag that nobody has reviewed. */
      differing: waiting,
      investments: waiting,
      withdrawals: waiting,
      withdrawalsToPay: waiting,
      /** Payouts with an alert that nobody has reviewed. */
      payoutAlerts: waiting,
      /** Transactions of our addresses that no payout explains. */
      outgoing: waiting,
      earnings: waiting,
      /** Returns that wait for a second person: large ones, and those that someone proposes to void. */
      returns: waiting,
      matured: waiting,
      /** People whose names may be on a list, of sanctions or of politically exposed persons. */
      matches: waiting,
      /** Cases of movements to look into. */
      cases: waiting,
      /** Identity checks to decide. */
      checks: waiting,
      messages: waiting,
    }),
    /** Investor deposits credited, at their own rates. */
    moneyIn: byPeriod,
    /** Withdrawals paid. */
    moneyOut: byPeriod,
    liabilities: z.object({ available: usd, held: usd, invested: usd, total: usd }),
    returns: z.object({ recorded: usd, paidOut: usd, left: usd }),
    coverage: z.object({
      assets: usd.describe('moneyIn.all + returns.recorded - moneyOut.all'),
      liabilities: usd,
      /** assets / liabilities in percent, cut to two decimals; null if nothing is owed. */
      percent: z.number().nullable(),
    }),
    asOf: timestamp,
  }),
})

const chainAsset = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH', 'USDC']),
  /** On the firm's watched addresses, read from the networks; null without a reading. The time is the oldest reading's. */
  /** True if a network that carries it is watched. */
  watched: z.boolean(),
  /** null before the first reading, and on networks that are not watched. */
  onChain: z
    .object({ amountCrypto: cryptoText, amount: usd.nullable(), addresses: z.int(), at: timestamp })
    .nullable(),
  /** Coins of credited payments, and of paid withdrawals with a locked coin amount. */
  received: cryptoText,
  paidOut: cryptoText,
  inBooks: cryptoText.describe('received - paidOut'),
  inBooksUsd: usd.nullable(),
  difference: cryptoText.nullable().describe('onChain - inBooks'),
  /** What transactions of these addresses have paid in network fees since we watch them; null on networks where we do not add them up. */
  fees: cryptoText.nullable(),
  /** The rate used here; null without one. */
  rate: z.object({ rate: z.string(), at: timestamp, source: z.string(), stale: z.boolean() }).nullable(),
})

export const chainOverview = defineCall({
  id: 'console.chains',
  method: 'GET',
  path: '/console/chains',
  permission: 'console',
  summary:
    "On-chain balances of the firm's watched addresses compared with the ledger and with what is owed, and the state of each network's sync",
  message: msg('On the chains'),
  data: z.object({
    assets: z.array(chainAsset),
    /** Unsolicited deposits on these addresses. */
    stray: z.array(z.object({ token: z.string(), amountCrypto: cryptoText, at: timestamp })),
    /** Payments to receiving addresses that we gave to nobody, the newest 20. */
    unassigned: z.array(
      z.object({
        rail: z.enum(railNames),
        address: z.string(),
        index: z.int(),
        token: z.string(),
        amountCrypto: cryptoText,
        /** Sent by a contract: the hash of the block that shows it. */
        transactionId: z.string(),
        byContract: z.boolean(),
        seenAt: timestamp,
      }),
    ),
    /** Withdrawals paid without a locked coin amount, whose coins are in no figure here. */
    paidByHand: z.object({ count: z.int(), amount: usd }),
    /** To all investors. */
    liabilities: usd,
    rails: z.array(
      z.object({
        rail: z.enum(railNames),
        network: z.string().nullable(),
        /** One fixed address, addresses of an extended key, or null if not offered. */
        receiving: z.enum(['fixed', 'derived']).nullable(),
        watched: z.boolean(),
        /** The last synced block; null before the first sync. */
        cursor: z
          .object({
            syncedHeight: z.int(),
            tipHeight: z.int(),
            confirmations: z.int(),
            polledAt: timestamp,
            /** While blocks are missing: when they will have been read, at the speed so far. */
            caughtUpBy: timestamp.nullable(),
            syncError: z.string().nullable(),
            syncErrorSince: timestamp.nullable(),
            /** What the error prevents. */
            syncErrorKind: z.enum(syncErrorKinds).nullable(),
            /** Deposits that the last sync could not credit or reverse. */
            failedDeposits: z.int(),
            /** Withdrawals whose payouts the last sync could not assess. */
            failedPayouts: z.array(z.object({ _id: recordId, invoiceId: z.string() })),
            /** True if the sync waits for a person to act. */
            halted: z.boolean(),
          })
          .nullable(),
        /** Why investors get no new addresses: see docs/operate.md. `knownIndex`: the highest that somebody else was given. */
        stopped: z
          .object({
            because: z.enum(['mark', 'server', 'chain']),
            since: timestamp,
            knownIndex: z.int().nullable(),
          })
          .nullable(),
        /** Why the first sync failed, and since when. */
        startError: z.object({ error: z.string(), since: timestamp }).nullable(),
      }),
    ),
    asOf: timestamp,
  }),
})

const person = z.object({ _id: recordId, name: z.string() })

/** The sums that make up one account of an investor, by kind of record. */
const madeOf = z.object({
  account: z.enum(statementAccounts),
  balance: usd,
  kinds: z.array(z.object({ kind: z.enum(statementKinds), in: usd, out: usd })),
})

export const getUser = defineCall({
  id: 'console.user',
  method: 'GET',
  path: '/console/user/:id',
  permission: 'console',
  summary:
    'One account: profile, balances with the sums behind them, security, referrer, and whether it is frozen or closed',
  message: msg('User'),
  params: idParams,
  data: user.extend({
    emailVerifiedAt: timestamp.nullable(),
    activeInvestments: z.int(),
    accounts: z.array(madeOf),
    freeze: z.object({ at: timestamp, by: z.string(), reason: z.string() }).nullable(),
    /** When its owner closed it, or null; a closed account has no freeze of staff's. */
    closedAt: timestamp.nullable(),
    /** When the secret of the public proof was erased, or null. */
    proofErasedAt: timestamp.nullable(),
    /** Since when two-factor authentication is on, or null. */
    secondFactorSince: timestamp.nullable(),
    passkeys: z.int(),
    /** The newest terms that they have accepted, or null. */
    terms: acceptedTerms.nullable(),
    /** The owner of the referral code given at sign-up. */
    referredBy: person.nullable(),
    /** Entries in force on sanctions lists that may be this person, and those that staff decided are. Either stops withdrawals. */
    matches: z.object({ open: z.int(), same: z.int() }),
    /** The same on lists of politically exposed persons (decision 181), which stops no withdrawal. */
    exposed: z.object({ open: z.int(), same: z.int() }),
    /** Open cases of movements. */
    openCases: z.int(),
    /** What they have proved (decision 180), its last day in UTC, and checks that wait for staff. */
    identity: z.object({
      level: z.enum(identityLevels),
      expiresOn: z.string().nullable(),
      refused: z.boolean(),
      waiting: z.int(),
    }),
  }),
  refusals: ['not_found'],
})

/** The query of one account's list; the second for rows without a status. */
const listOfUser = listQuery.extend({ user: id })
const plainListOfUser = listOfUser.omit({ status: true })

export const listUserDeposits = defineCall({
  id: 'console.userDeposits',
  method: 'GET',
  path: '/console/user-deposits',
  permission: 'console',
  list: true,
  summary: 'Deposits of one account, newest first',
  message: msg('Deposits'),
  query: listOfUser,
  data: z.array(deposit),
  refusals: ['not_found'],
})

export const listUserInvestments = defineCall({
  id: 'console.userInvestments',
  method: 'GET',
  path: '/console/user-investments',
  permission: 'console',
  list: true,
  summary: 'Investments of one account, newest first',
  message: msg('Investments'),
  query: listOfUser,
  data: z.array(investment),
  refusals: ['not_found'],
})

export const listUserWithdrawals = defineCall({
  id: 'console.userWithdrawals',
  method: 'GET',
  path: '/console/user-withdrawals',
  permission: 'console',
  list: true,
  summary: 'Withdrawals of one account, newest first',
  message: msg('Withdrawals'),
  query: listOfUser,
  data: z.array(withdrawal),
  refusals: ['not_found'],
})

export const listUserEarnings = defineCall({
  id: 'console.userEarnings',
  method: 'GET',
  path: '/console/user-earnings',
  permission: 'console',
  list: true,
  summary: 'Earnings of one account, newest first',
  message: msg('Earnings'),
  query: listOfUser,
  data: z.array(earning),
  refusals: ['not_found'],
})

export const listUserAddresses = defineCall({
  id: 'console.userAddresses',
  method: 'GET',
  path: '/console/user-addresses',
  permission: 'console',
  list: true,
  summary: 'Address book of one account, newest first',
  message: msg('Address book'),
  query: plainListOfUser,
  data: z.array(payoutAddress),
  refusals: ['not_found'],
})

export const listUserReferrals = defineCall({
  id: 'console.userReferrals',
  method: 'GET',
  path: '/console/user-referrals',
  permission: 'console',
  list: true,
  summary: 'Referrals of one account, newest first',
  message: msg('Referrals'),
  query: plainListOfUser,
  data: z.array(person.extend({ email: z.string(), createdAt: timestamp })),
  refusals: ['not_found'],
})

export const listUserSessions = defineCall({
  id: 'console.userSessions',
  method: 'GET',
  path: '/console/user-sessions',
  permission: 'console',
  list: true,
  summary: 'Open sessions of one account, newest first',
  message: msg('Open sessions'),
  query: plainListOfUser,
  data: z.array(
    z.object({
      _id: recordId,
      createdAt: timestamp,
      lastUsedAt: timestamp,
      ip: z.string().nullable(),
      userAgent: z.string().nullable(),
    }),
  ),
  refusals: ['not_found'],
})

const note = z.object({
  _id: recordId,
  note: z.string(),
  author: z.string(),
  createdAt: timestamp,
})
export const listUserNotes = defineCall({
  id: 'console.userNotes',
  method: 'GET',
  path: '/console/user-notes',
  permission: 'console',
  list: true,
  summary: 'Notes of one account, newest first',
  message: msg('Notes'),
  query: plainListOfUser,
  data: z.array(note),
  refusals: ['not_found'],
})

export const listUserHistory = defineCall({
  id: 'console.userHistory',
  method: 'GET',
  path: '/console/user-history',
  permission: 'log',
  list: true,
  summary: "The audit log of one account, newest first; 'status' is an action",
  message: msg('Account history'),
  query: listOfUser,
  data: z.array(
    z.object({
      _id: lineNumber,
      at: timestamp,
      action: z.string(),
      /** Null for the system and for an unknown person. */
      actorName: z.string().nullable(),
      reason: z.string().nullable(),
      ip: z.string().nullable(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  refusals: ['not_found'],
})

export const addUserNote = defineCall({
  id: 'console.addNote',
  method: 'POST',
  path: '/console/user/:id/notes',
  permission: 'care',
  // A note that was written twice cannot be removed.
  money: true,
  summary: 'Adds a note about an account, for staff only; it cannot be changed or removed',
  message: msg('Note added'),
  params: idParams,
  body: z.object({ note: textBlock(msg('Note'), longestNote) }),
  data: note,
  refusals: ['not_found'],
})

export const freezeUser = defineCall({
  id: 'console.freeze',
  method: 'POST',
  path: '/console/user/:id/freeze',
  permission: 'care',
  summary:
    'Freezes an account: its owner can view it and held money can be released, but nothing is requested, approved, credited, closed or paid out',
  message: msg('Account frozen'),
  params: idParams,
  /** For staff: the owner is notified of the freeze without the reason. */
  body: reasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const unfreezeUser = defineCall({
  id: 'console.unfreeze',
  method: 'POST',
  path: '/console/user/:id/unfreeze',
  permission: 'care',
  summary: 'Ends the freeze of an account; pending payments get at least another day',
  message: msg('Account unfrozen'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const eraseProofSecret = defineCall({
  id: 'console.eraseProofSecret',
  method: 'POST',
  path: '/console/user/:id/erase-proof-secret',
  permission: 'manage',
  money: true,
  summary:
    'Erases the secret by which an investor finds their lines in the public log, for good; only of a frozen account without money whose entries are all published',
  message: msg('Proof secret erased'),
  params: idParams,
  /** `email`: the account's, typed again. The owner is notified without the reason. */
  body: reasonBody.extend({
    email: z
      .string()
      .trim()
      .max(320, { error: () => t('Email is too long') }),
  }),
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const endUserSession = defineCall({
  id: 'console.endSession',
  method: 'DELETE',
  path: '/console/user/:id/sessions/:session',
  permission: 'care',
  summary: 'Ends an open session of an account',
  message: msg('Session ended'),
  params: idParams.extend({ session: id }),
  body: optionalReasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'own_request'],
})

export const endUserSessions = defineCall({
  id: 'console.endSessions',
  method: 'DELETE',
  path: '/console/user/:id/sessions',
  permission: 'care',
  summary: 'Ends all open sessions of an account',
  message: msg('Sessions ended'),
  params: idParams,
  body: optionalReasonBody,
  data: z.object({ ended: z.int() }),
  refusals: ['forbidden', 'not_found', 'own_request'],
})

/** One business event of the ledger with all its legs, the firm's side included. */
const postedEvent = z.object({
  _id: recordId,
  at: timestamp,
  event: z.string(),
  description: z.string(),
  /** Who caused it; null for the system. */
  actorName: z.string().nullable(),
  note: z.string().nullable(),
  legs: z.array(
    z.object({
      /** The account's name: 'Available, Ada Investor', 'Coins in custody'. */
      from: z.string(),
      to: z.string(),
      asset: z.enum(['USD', 'BTC', 'USDT', 'ETH', 'USDC']),
      /** Decimal text with all digits of the asset. */
      amount: z.string(),
    }),
  ),
})
export type PostedEvent = z.output<typeof postedEvent>

export const listPostings = defineCall({
  id: 'console.postings',
  method: 'GET',
  path: '/console/postings/:id',
  permission: 'books',
  summary:
    'The postings of a deposit, an investment (with its deposit and earnings), a withdrawal, an earning or a return: every event with every leg, oldest first',
  message: msg('Postings'),
  params: idParams,
  data: z.array(postedEvent),
})
