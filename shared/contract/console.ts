import { z } from 'zod'
import { depositMethods } from '#shared/coins.ts'
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

/** What the console shows beside its tables: the firm at a glance, one account with all that belongs to it, and postings. */

/** Rows that wait; counted up to a limit. */
const waiting = z.object({ count: z.int(), isAtLeast: z.boolean() })

/** What moved in a period of whole days (UTC), today included. */
const byPeriod = z.object({ today: usd, thirtyDays: usd, all: usd })

export const consoleSummary = defineCall({
  id: 'console.summary',
  method: 'GET',
  path: '/console/summary',
  permission: 'console',
  summary:
    'What waits for staff, what came in and went out, what is owed to investors and what covers it: all of it from the ledger, as of one moment',
  message: 'Summary',
  data: z.object({
    waiting: z.object({
      deposits: waiting,
      /** Payments that came short, over or late, and that nobody has looked at. */
      differing: waiting,
      investments: waiting,
      withdrawals: waiting,
      withdrawalsToPay: waiting,
      /** Payouts of which something on the chain is not as it should be. */
      payoutAlerts: waiting,
      earnings: waiting,
      matured: waiting,
      messages: waiting,
    }),
    /** Payments of investors that were credited, at the rates of the payments. */
    moneyIn: byPeriod,
    /** Withdrawals paid. */
    moneyOut: byPeriod,
    liabilities: z.object({ available: usd, held: usd, invested: usd, total: usd }),
    returns: z.object({ recorded: usd, paidOut: usd, left: usd }),
    coverage: z.object({
      assets: usd.describe('moneyIn.all + returns.recorded - moneyOut.all'),
      liabilities: usd,
      /** assets / liabilities in percent, cut to two decimals; null where nothing is owed. */
      percent: z.number().nullable(),
    }),
    asOf: timestamp,
  }),
})

const chainAsset = z.object({
  asset: z.enum(['BTC', 'USDT', 'ETH']),
  /** By the networks' own account, at the firm's watched addresses; null where nothing was read. The time is the oldest reading's. */
  onChain: z
    .object({ amountCrypto: cryptoText, amount: usd.nullable(), addresses: z.int(), at: timestamp })
    .nullable(),
  /** Coins of payments that were credited, and of withdrawals whose coin amount was fixed, paid. */
  received: cryptoText,
  paidOut: cryptoText,
  inBooks: cryptoText.describe('received - paidOut'),
  inBooksUsd: usd.nullable(),
  difference: cryptoText.nullable().describe('onChain - inBooks'),
  /** What dollars are counted at here; null where there is none. */
  rate: z.object({ rate: z.string(), at: timestamp, source: z.string(), stale: z.boolean() }).nullable(),
})

export const chainOverview = defineCall({
  id: 'console.chains',
  method: 'GET',
  path: '/console/chains',
  permission: 'console',
  summary:
    "What lies at the firm's watched addresses by the networks' own account, what the books say should, what is owed, and how each network is watched",
  message: 'On the chains',
  data: z.object({
    assets: z.array(chainAsset),
    /** What was never asked for and lies there. */
    stray: z.array(z.object({ token: z.string(), amountCrypto: cryptoText, at: timestamp })),
    /** Withdrawals paid without a coin amount that was fixed: what left for them is in no figure here. */
    paidByHand: z.object({ count: z.int(), amount: usd }),
    /** To all investors. */
    liabilities: usd,
    rails: z.array(
      z.object({
        method: z.enum(depositMethods),
        network: z.string().nullable(),
        /** One configured address, addresses of an account, or null: not offered. */
        receiving: z.enum(['fixed', 'derived']).nullable(),
        watched: z.boolean(),
        /** How far it has been read; null before the first look. */
        cursor: z
          .object({
            syncedHeight: z.int(),
            tipHeight: z.int(),
            confirmations: z.int(),
            polledAt: timestamp,
            syncError: z.string().nullable(),
            syncErrorSince: timestamp.nullable(),
            /** What the error prevents. */
            syncErrorKind: z.enum(syncErrorKinds).nullable(),
            /** That could not be credited or taken back at the last look. */
            failedDeposits: z.int(),
            /** Withdrawals whose payouts could not be assessed at the last look. */
            failedPayouts: z.array(z.object({ _id: recordId, invoiceId: z.string() })),
            /** It goes on only once a person has looked. */
            halted: z.boolean(),
          })
          .nullable(),
        /** Why it could not be looked at even once, and since when. */
        startError: z.object({ error: z.string(), since: timestamp }).nullable(),
      }),
    ),
    asOf: timestamp,
  }),
})

const person = z.object({ _id: recordId, name: z.string() })

/** What one of an investor's accounts is the sum of: all its postings, by what they were about. */
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
    'One account: profile, balances with what they are made of, safety, referrer, and whether it is frozen',
  message: 'User',
  params: idParams,
  data: user.extend({
    emailVerifiedAt: timestamp.nullable(),
    activeInvestments: z.int(),
    accounts: z.array(madeOf),
    freeze: z.object({ at: timestamp, by: z.string(), reason: z.string() }).nullable(),
    /** Codes of an authenticator app, since when; null where that is off. */
    secondFactorSince: timestamp.nullable(),
    passkeys: z.int(),
    /** Whose referral code was given at sign-up. */
    referredBy: person.nullable(),
  }),
  refusals: ['not_found'],
})

/** A list of one account; the second where its rows have no status. */
const listOfUser = listQuery.extend({ user: id })
const plainListOfUser = listOfUser.omit({ status: true })

export const listUserDeposits = defineCall({
  id: 'console.userDeposits',
  method: 'GET',
  path: '/console/user-deposits',
  permission: 'console',
  list: true,
  summary: 'Deposits of one account, the newest first',
  message: 'Deposits',
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
  summary: 'Investments of one account, the newest first',
  message: 'Investments',
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
  summary: 'Withdrawals of one account, the newest first',
  message: 'Withdrawals',
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
  summary: 'Earnings of one account, the newest first',
  message: 'Earnings',
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
  summary: 'Address book of one account, the newest first',
  message: 'Address book',
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
  summary: 'Referrals of one account, the newest first',
  message: 'Referrals',
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
  summary: 'Open sessions of one account, the newest first',
  message: 'Open sessions',
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
  summary: 'Notes of one account, the newest first',
  message: 'Notes',
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
  summary: "What was done to one account, the newest first; 'status' is an action",
  message: 'What was done to the account',
  query: listOfUser,
  data: z.array(
    z.object({
      _id: lineNumber,
      at: timestamp,
      action: z.string(),
      /** Null where nobody is known, and where the product itself did it. */
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
  summary: 'Writes a note about an account, for staff only; it can neither be changed nor removed',
  message: 'Note added',
  params: idParams,
  body: z.object({ note: textBlock('Note', longestNote) }),
  data: note,
  refusals: ['not_found'],
})

export const freezeUser = defineCall({
  id: 'console.freeze',
  method: 'POST',
  path: '/console/user/:id/freeze',
  permission: 'care',
  summary:
    'Freezes an account: it can be looked at and given back to, and nothing of it is asked for, approved, credited, closed or paid out',
  message: 'Account frozen',
  params: idParams,
  /** For staff: the owner is told that it is frozen, and not why. */
  body: reasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const unfreezeUser = defineCall({
  id: 'console.unfreeze',
  method: 'POST',
  path: '/console/user/:id/unfreeze',
  permission: 'care',
  summary: 'Ends the freeze of an account; payments that are waited for are waited for a day more at least',
  message: 'Account unfrozen',
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const endUserSession = defineCall({
  id: 'console.endSession',
  method: 'DELETE',
  path: '/console/user/:id/sessions/:session',
  permission: 'care',
  summary: 'Ends an open session of an account',
  message: 'Session ended',
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
  message: 'Sessions ended',
  params: idParams,
  body: optionalReasonBody,
  data: z.object({ ended: z.int() }),
  refusals: ['forbidden', 'not_found', 'own_request'],
})

/** One business event of the books, with every leg: the firm's side of it, too. */
const postedEvent = z.object({
  _id: recordId,
  at: timestamp,
  event: z.string(),
  description: z.string(),
  /** Who caused it; null where the product itself did. */
  actorName: z.string().nullable(),
  note: z.string().nullable(),
  legs: z.array(
    z.object({
      /** The account in words: 'Available, Ada Investor', 'Coins in custody'. */
      from: z.string(),
      to: z.string(),
      asset: z.enum(['USD', 'BTC', 'USDT', 'ETH']),
      /** Decimal text, with all the asset's digits. */
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
    'What a deposit, an investment (its deposit and earnings with it), a withdrawal, an earning or a return has posted: every event with every leg, the oldest first',
  message: 'Postings',
  params: idParams,
  data: z.array(postedEvent),
})
