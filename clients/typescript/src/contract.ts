/** Made from the OpenAPI document by `npm run clients`: shared/contract/ decides. */
import type { Usd } from './money.ts'
export interface paths {
  '/audit/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Who did what, when, from where and why, newest first; 'status' is an action, 'q' also a person's name, a record's number or a request's id
     * @description Permission: log (admin, compliance, auditor).
     */
    get: operations['audit.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/audit/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Audit log as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list: every matching row
     * @description Permission: log (admin, compliance, auditor).
     */
    get: operations['audit.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All users, newest first unless sorted; 'status' is a type (investor, admin), or frozen, closed or unverified; 'q' may be a user's id
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['auth.listUsers']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Users as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list: every matching row
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['auth.usersCsv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/case/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Cases of movements that staff look into, the newest first unless sorted
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['case.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/case/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Cases as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['case.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/case/get-one/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * One case: its person and their movements, from some days before the first that was found to the newest that was decided about, or to now; the newest 1,000
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['case.getOne']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/case/report/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The report of a case as CSV: a line for each of its movements with address, transaction and the account’s person, for the report to the authority
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['case.report']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/cash-flow': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Principal and withdrawals due in the coming 26 weeks beside the coins held, money in and out by month, and how what is owed is distributed
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.cashFlow']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/cash-flow.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The figures of the cash flow as CSV (RFC 4180, UTF-8 with a byte order mark), one figure a line
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.cashFlowCsv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/chains': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * On-chain balances of the firm's watched addresses compared with the ledger and with what is owed, and the state of each network's sync
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.chains']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/journal': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The days of the journal
     * @description Permission: books (admin, finance, compliance, auditor).
     */
    get: operations['console.journal']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/journal/file': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Every transaction of the ledger in whole UTC days, with opening and closing balances, for hledger, beancount or as CSV
     * @description Permission: books (admin, finance, compliance, auditor).
     */
    get: operations['console.journalFile']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/postings/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The postings of a deposit, an investment (with its deposit and earnings), a withdrawal, an earning or a return: every event with every leg, oldest first
     * @description Permission: books (admin, finance, compliance, auditor).
     */
    get: operations['console.postings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * People and messages by the beginnings of their names and emails, records by number, transactions and addresses; each kind only for those who may list it
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['search.find']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/summary': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Open tasks, money in and out, what investors are owed and what covers it, from the ledger as of one moment
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.summary']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-addresses': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Address book of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userAddresses']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-deposits': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Deposits of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userDeposits']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-earnings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Earnings of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userEarnings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The audit log of one account, newest first; 'status' is an action
     * @description Permission: log (admin, compliance, auditor).
     */
    get: operations['console.userHistory']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-investments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Investments of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userInvestments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-notes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Notes of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userNotes']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-referrals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Referrals of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userReferrals']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Open sessions of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userSessions']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user-withdrawals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Withdrawals of one account, newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.userWithdrawals']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/console/user/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * One account: profile, balances with the sums behind them, security, referrer, and whether it is frozen or closed
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['console.user']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/deposit/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All deposits, the newest first unless sorted; 'status' also takes 'differing' (with a deviation or a flag, not reviewed yet) and 'cancelled' (by the investor)
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['deposit.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/deposit/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Deposits as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['deposit.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/earning/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All earnings, the newest first unless sorted
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['earning.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/earning/get-all-plan': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The preview's investments, each with its amount, the newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['earning.listPlanShares']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/earning/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Earnings as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['earning.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/earning/plan-run/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The latest run of a plan's earnings: how far it is, or how it ended; null before the first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['earning.planRun']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/earning/preview-plan/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Unpaid accruals of a plan's active investments, in all its versions: their number and total, and the recorded returns left; without the caller's own (D4, D7)
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['earning.previewPlan']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/investment/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All investments, the newest first unless sorted; 'status' also takes 'matured' (active, past its ending date) and 'cancelled' (by the investor), 'q' also an id
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['investment.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/investment/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Investments as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['investment.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/payout/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Payout batches, the newest first; by status, or `faulty` for those with an alert to review
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['payout.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/payout/get-one/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * A payout batch with its withdrawals, their transfers on the network, and its inputs
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['payout.getOne']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/payout/outgoing': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Transactions of our addresses that no payout explains, nor two people of the team, the oldest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['payout.outgoing']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/payout/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Approved withdrawals in a coin that are in no open batch: those that a batch takes before the others, the longest approved first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['payout.ready']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/plan/catalogue': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Every plan (at most 100), retired ones included, in the catalogue's order
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['plan.catalogue']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/plan/versions/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The versions of a plan, newest first: who made each, when, why, and the investments under it
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['plan.versions']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/price/sources': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Each price source: its breaker, last reading and last error; and each source's reading of each coin
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['price.sources']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/proof/opening': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Opens every investor's line of the public log, and the newest tree of liabilities, for the auditor
     * @description Permission: log (admin, compliance, auditor).
     */
    get: operations['proof.opening']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/proof/status': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * How publishing the books goes: the newest epoch, who has cosigned and dated it, copies, and problems
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['proof.status']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/return/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All returns, the newest first unless sorted; the period filters by the day realised; 'status' is a return's status or 'undecided'
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['return.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/return/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Recorded returns as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['return.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/return/get-one/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * One return with its history
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['return.getOne']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/return/payments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The earnings that a recorded return paid, each with its part, the newest first
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['return.payments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/screening/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * People whose names are like those on lists, the newest first unless sorted. On a sanctions list, no withdrawal of theirs is approved while a match is open or the same person; on that of politically exposed persons (pep), a match stops no withdrawal
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['screening.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/screening/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Matches of names as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['screening.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/screening/get-one/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * One match of names: the person, and what the list says about the entry
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['screening.getOne']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/screening/lists': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Each list that can be imported, with the file in force, and how many names still have to be compared with them
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['screening.lists']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sweep/holdings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * What the addresses of deposits held of each coin when staff last had them read
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['sweep.holdings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/withdrawal/get-all': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All withdrawals, the newest first unless sorted; 'status' also takes 'cancelled' (by the investor)
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['withdrawal.list']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/withdrawal/get-all.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * All matching withdrawals as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list
     * @description Permission: console (admin, finance, support, compliance, auditor).
     */
    get: operations['withdrawal.csv']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    Failure: {
      /** @enum {unknown} */
      code:
        | 'invalid_input'
        | 'invalid_json'
        | 'invalid_code'
        | 'code_expired'
        | 'invalid_reset_token'
        | 'invalid_passkey'
        | 'invalid_credentials'
        | 'second_factor_required'
        | 'token_missing'
        | 'token_invalid'
        | 'token_expired'
        | 'email_not_verified'
        | 'forbidden'
        | 'proof_required'
        | 'second_factor_setup_required'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'email_taken'
        | 'insufficient_funds'
        | 'insufficient_returns'
        | 'no_active_investment'
        | 'nothing_accrued'
        | 'wrong_state'
        | 'address_waiting'
        | 'account_frozen'
        | 'same_approver'
        | 'own_request'
        | 'transaction_reused'
        | 'quote_expired'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'idempotency_key_reused'
        | 'too_many_tries'
        | 'rate_limited'
        | 'headers_too_large'
        | 'internal'
        | 'rate_unavailable'
        | 'method_paused'
        | 'not_ready'
      fields?: {
        [key: string]: string
      }
      message: string
      /** @description The cause, if a code has several */
      reason?: string
      /** @constant */
      status: 'error'
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  'audit.list': {
    parameters: {
      query?: {
        actor?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'at' | '-at'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Audit log */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              _id: string
              action: string
              actor: string | null
              actorName: string | null
              /** Format: date-time */
              at: string
              byApiKey: boolean
              details: {
                [key: string]: unknown
              }
              ip: string | null
              reason: string | null
              requestId: string | null
              subject: string | null
              subjectKind: string | null
              subjectName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'audit.csv': {
    parameters: {
      query?: {
        actor?: string
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'at' | '-at'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Audit log as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'auth.listUsers': {
    parameters: {
      query?: {
        country?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?:
          | 'created'
          | '-created'
          | 'name'
          | '-name'
          | 'email'
          | '-email'
          | 'country'
          | '-country'
          | 'balance'
          | '-balance'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Users */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              activeInvestments: number
              /** Format: usd */
              balance: Usd
              country: string
              /** Format: date-time */
              createdAt: string
              email: string
              emailVerified: boolean
              frozen: boolean
              /** Format: usd */
              held: Usd
              /** Format: usd */
              invested: Usd
              /** @enum {string} */
              language: 'en' | 'de' | 'es' | 'ar'
              name: string
              pendingEmail: string | null
              phone: string
              referralCode: string
              referrer: string | null
              role: ('admin' | 'finance' | 'support' | 'compliance' | 'auditor') | null
              /** @enum {string} */
              type: 'investor' | 'admin'
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'auth.usersCsv': {
    parameters: {
      query?: {
        country?: string
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?:
          | 'created'
          | '-created'
          | 'name'
          | '-name'
          | 'email'
          | '-email'
          | 'country'
          | '-country'
          | 'balance'
          | '-balance'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Users as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'case.list': {
    parameters: {
      query?: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        rule?: 'turnover' | 'structuring' | 'passing' | 'dormant'
        sort?: 'found' | '-found' | 'amount' | '-amount' | 'name' | '-name'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Cases */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /**
               * Format: usd
               * @description The sum of the movements that were found
               */
              amount: Usd
              decidedAt: string | null
              decidedBy: string | null
              /** Format: date-time */
              firstAt: string
              /** Format: date-time */
              foundAt: string
              /**
               * @description What moved
               * @enum {string}
               */
              kind: 'deposit' | 'withdrawal'
              /** Format: date-time */
              lastAt: string
              /** @description What the rule looks for, with the limit that was in force */
              looksFor: string
              movements: number
              reason: string | null
              /** @enum {string} */
              rule: 'turnover' | 'structuring' | 'passing' | 'dormant'
              /**
               * @description open until someone decides; explained: nothing unusual; reported: to the authority
               * @enum {string}
               */
              status: 'open' | 'explained' | 'reported'
              /** Format: uuid */
              user: string
              userName: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'case.csv': {
    parameters: {
      query?: {
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        rule?: 'turnover' | 'structuring' | 'passing' | 'dormant'
        sort?: 'found' | '-found' | 'amount' | '-amount' | 'name' | '-name'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Cases as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'case.getOne': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Case */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /**
               * Format: usd
               * @description The sum of the movements that were found
               */
              amount: Usd
              decidedAt: string | null
              decidedBy: string | null
              /** Format: date-time */
              firstAt: string
              /** Format: date-time */
              foundAt: string
              /**
               * @description What moved
               * @enum {string}
               */
              kind: 'deposit' | 'withdrawal'
              /** Format: date-time */
              lastAt: string
              /** @description What the rule looks for, with the limit that was in force */
              looksFor: string
              moved: {
                /** Format: uuid */
                _id: string
                /** @description Where it was paid to */
                address: string
                /** Format: usd */
                amount: Usd
                /** Format: date-time */
                at: string
                coin: string
                /** @description Whether it is one of those that met the rule */
                found: boolean
                /** @enum {string} */
                kind: 'deposit' | 'withdrawal'
                number: string
                /** Format: uuid */
                record: string
                /** @enum {string} */
                status: 'pending' | 'paid' | 'unpaid' | 'declined' | 'approved' | 'cancelled'
                transactionId: string | null
              }[]
              movements: number
              others: {
                /** Format: uuid */
                _id: string
                /**
                 * Format: usd
                 * @description The sum of the movements that were found
                 */
                amount: Usd
                decidedAt: string | null
                decidedBy: string | null
                /** Format: date-time */
                firstAt: string
                /** Format: date-time */
                foundAt: string
                /**
                 * @description What moved
                 * @enum {string}
                 */
                kind: 'deposit' | 'withdrawal'
                /** Format: date-time */
                lastAt: string
                /** @description What the rule looks for, with the limit that was in force */
                looksFor: string
                movements: number
                reason: string | null
                /** @enum {string} */
                rule: 'turnover' | 'structuring' | 'passing' | 'dormant'
                /**
                 * @description open until someone decides; explained: nothing unusual; reported: to the authority
                 * @enum {string}
                 */
                status: 'open' | 'explained' | 'reported'
                /** Format: uuid */
                user: string
                userName: string
              }[]
              person: {
                closed: boolean
                country: string
                email: string
                frozen: boolean
                phone: string
                /** Format: date-time */
                since: string
              }
              reason: string | null
              /** @enum {string} */
              rule: 'turnover' | 'structuring' | 'passing' | 'dormant'
              /**
               * @description open until someone decides; explained: nothing unusual; reported: to the authority
               * @enum {string}
               */
              status: 'open' | 'explained' | 'reported'
              /** Format: uuid */
              user: string
              userName: string
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'case.report': {
    parameters: {
      query?: {
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Report of the case as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'console.cashFlow': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Cash flow */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              asOf: string
              /** Format: usd */
              available: Usd
              cohorts: {
                /**
                 * Format: usd
                 * @description On hold included
                 */
                available: Usd
                /** Format: usd */
                earned: Usd
                /** Format: usd */
                invested: Usd
                investors: number
                month: string
                /** Format: usd */
                paidIn: Usd
                /** Format: usd */
                withdrawn: Usd
              }[]
              /** Format: date-time */
              cohortsAsOf: string
              concentration: {
                investors: number
                largest: {
                  /** Format: usd */
                  amount: Usd
                  investors: number
                }[]
                /** Format: usd */
                owed: Usd
                plans: {
                  /** Format: usd */
                  amount: Usd
                  investments: number
                  plan: string
                }[]
              }
              ended: {
                /** Format: usd */
                amount: Usd
                investments: number
              }
              exceeds: {
                due: {
                  /** Format: usd */
                  missing: Usd
                  now: boolean
                  week: string
                } | null
                withAvailable: {
                  /** Format: usd */
                  missing: Usd
                  now: boolean
                  week: string
                } | null
              }
              held: {
                coins: {
                  amount: Usd | null
                  amountCrypto: string | null
                  asset: string
                  at: string | null
                  unknown: ('no_reading' | 'old_reading' | 'no_rate' | 'old_rate') | null
                }[]
                /**
                 * Format: usd
                 * @description Sum of the coins whose amount is known
                 */
                known: Usd
              }
              later: {
                /** Format: usd */
                amount: Usd
                investments: number
              }
              months: {
                /**
                 * Format: usd
                 * @description Credited, less reversals
                 */
                deposits: Usd
                /** Format: usd */
                earnings: Usd
                month: string
                /**
                 * Format: usd
                 * @description Recorded, less voided
                 */
                returns: Usd
                /** Format: usd */
                withdrawals: Usd
              }[]
              /** Format: usd */
              onHold: Usd
              /** Format: usd */
              returnsLeft: Usd
              weeks: {
                /** Format: usd */
                amount: Usd
                /** Format: usd */
                due: Usd
                from: string
                investments: number
              }[]
              withdrawals: {
                /** Format: usd */
                approved: Usd
                /** Format: usd */
                pending: Usd
              }
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.cashFlowCsv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Cash flow as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'console.chains': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description On the chains */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              asOf: string
              assets: {
                /** @enum {string} */
                asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
                /** @description onChain - inBooks */
                difference: string | null
                fees: string | null
                /**
                 * Format: decimal
                 * @description received - paidOut
                 */
                inBooks: string
                inBooksUsd: Usd | null
                onChain: {
                  addresses: number
                  amount: Usd | null
                  /** Format: decimal */
                  amountCrypto: string
                  /** Format: date-time */
                  at: string
                } | null
                /** Format: decimal */
                paidOut: string
                rate: {
                  /** Format: date-time */
                  at: string
                  rate: string
                  source: string
                  stale: boolean
                } | null
                /** Format: decimal */
                received: string
                watched: boolean
              }[]
              /** Format: usd */
              liabilities: Usd
              paidByHand: {
                /** Format: usd */
                amount: Usd
                count: number
              }
              rails: {
                cursor: {
                  caughtUpBy: string | null
                  confirmations: number
                  failedDeposits: number
                  failedPayouts: {
                    /** Format: uuid */
                    _id: string
                    invoiceId: string
                  }[]
                  halted: boolean
                  /** Format: date-time */
                  polledAt: string
                  syncedHeight: number
                  syncError: string | null
                  syncErrorKind: ('reading' | 'unconfirmed' | 'crediting' | 'payouts') | null
                  syncErrorSince: string | null
                  tipHeight: number
                } | null
                network: string | null
                /** @enum {string} */
                rail: 'bitcoin' | 'usdt' | 'ethereum'
                receiving: ('fixed' | 'derived') | null
                startError: {
                  error: string
                  /** Format: date-time */
                  since: string
                } | null
                stopped: {
                  /** @enum {string} */
                  because: 'mark' | 'server' | 'chain'
                  knownIndex: number | null
                  /** Format: date-time */
                  since: string
                } | null
                watched: boolean
              }[]
              stray: {
                /** Format: decimal */
                amountCrypto: string
                /** Format: date-time */
                at: string
                token: string
              }[]
              unassigned: {
                address: string
                /** Format: decimal */
                amountCrypto: string
                byContract: boolean
                index: number
                /** @enum {string} */
                rail: 'bitcoin' | 'usdt' | 'ethereum'
                /** Format: date-time */
                seenAt: string
                token: string
                transactionId: string
              }[]
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.journal': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Journal */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** @description The UTC day of the first transaction; null without any */
              firstDay: string | null
              /** @description The current UTC day */
              today: string
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.journalFile': {
    parameters: {
      query: {
        format: 'hledger' | 'beancount' | 'csv'
        /** @description The first UTC day; that of the first transaction if omitted */
        from?: string
        /** @description The last UTC day; today if omitted or later */
        to?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Journal as a file */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
          'text/plain': string
        }
      }
    }
  }
  'console.postings': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Postings */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              actorName: string | null
              /** Format: date-time */
              at: string
              description: string
              event: string
              legs: {
                amount: string
                /** @enum {string} */
                asset: 'USD' | 'BTC' | 'USDT' | 'ETH' | 'USDC'
                from: string
                to: string
              }[]
              note: string | null
            }[]
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'search.find': {
    parameters: {
      query: {
        /** @description A name, an email, a number (DEP-2026-000123, or 123), an id, a transaction or an address */
        q: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Found */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              hasMore: boolean
              /** @enum {string} */
              kind:
                | 'user'
                | 'deposit'
                | 'withdrawal'
                | 'investment'
                | 'earning'
                | 'payout'
                | 'return'
                | 'message'
              results: {
                /** Format: uuid */
                _id: string
                amount: Usd | null
                /** @enum {string} */
                by: 'name' | 'number' | 'code' | 'id' | 'transaction' | 'address'
                detail: string | null
                title: string
              }[]
            }[]
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.summary': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Summary */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              asOf: string
              coverage: {
                /**
                 * Format: usd
                 * @description moneyIn.all + returns.recorded - moneyOut.all
                 */
                assets: Usd
                /** Format: usd */
                liabilities: Usd
                percent: number | null
              }
              liabilities: {
                /** Format: usd */
                available: Usd
                /** Format: usd */
                held: Usd
                /** Format: usd */
                invested: Usd
                /** Format: usd */
                total: Usd
              }
              moneyIn: {
                /** Format: usd */
                all: Usd
                /** Format: usd */
                thirtyDays: Usd
                /** Format: usd */
                today: Usd
              }
              moneyOut: {
                /** Format: usd */
                all: Usd
                /** Format: usd */
                thirtyDays: Usd
                /** Format: usd */
                today: Usd
              }
              returns: {
                /** Format: usd */
                left: Usd
                /** Format: usd */
                paidOut: Usd
                /** Format: usd */
                recorded: Usd
              }
              waiting: {
                cases: {
                  count: number
                  isAtLeast: boolean
                }
                checks: {
                  count: number
                  isAtLeast: boolean
                }
                deposits: {
                  count: number
                  isAtLeast: boolean
                }
                differing: {
                  count: number
                  isAtLeast: boolean
                }
                earnings: {
                  count: number
                  isAtLeast: boolean
                }
                investments: {
                  count: number
                  isAtLeast: boolean
                }
                matches: {
                  count: number
                  isAtLeast: boolean
                }
                matured: {
                  count: number
                  isAtLeast: boolean
                }
                messages: {
                  count: number
                  isAtLeast: boolean
                }
                outgoing: {
                  count: number
                  isAtLeast: boolean
                }
                payoutAlerts: {
                  count: number
                  isAtLeast: boolean
                }
                returns: {
                  count: number
                  isAtLeast: boolean
                }
                withdrawals: {
                  count: number
                  isAtLeast: boolean
                }
                withdrawalsToPay: {
                  count: number
                  isAtLeast: boolean
                }
              }
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userAddresses': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Address book */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              address: string
              /** Format: date-time */
              createdAt: string
              firstUsedAt: string | null
              label: string | null
              usableFrom: string | null
              /** @enum {string} */
              wallet:
                | 'Bitcoin (BTC)'
                | 'Bitcoin Cash (BCH)'
                | 'Ethereum Classic (ETC)'
                | 'Ethereum (ETH)'
                | 'Litecoin (LTC)'
                | 'USDT TRC-20'
                | 'USDT ERC-20'
                | 'Ripple Coin (XRP)'
                | 'Dogecoin (DOGE)'
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userDeposits': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Deposits */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              arrivalRate: string | null
              arrivalRateSource: string | null
              arrivedAt: string | null
              canCancel: boolean
              cancelled: boolean
              canCredit: boolean
              confirmations: {
                have: number
                needed: number
              } | null
              /** Format: date-time */
              createdAt: string
              credited: Usd | null
              /** Format: usd */
              debt: Usd
              declineReason: string | null
              deviation: ('underpaid' | 'overpaid' | 'late') | null
              flags: (
                | 'wrong_asset'
                | 'reversed'
                | 'debt'
                | 'unsolicited'
                | 'rate_missing'
                | 'after_decline'
                | 'large'
                | 'manual_credit'
                | 'by_contract'
                | 'daily_limit'
                | 'second_source'
                | 'listed_sender'
              )[]
              investment: string | null
              invoiceId: string
              label: string
              /** @enum {string} */
              method: 'bitcoin' | 'usdt' | 'ethereum' | 'usdt-erc20' | 'usdc-erc20'
              missing: string | null
              missingUri: string | null
              needsReview: boolean
              payment: {
                address: string
                /** Format: decimal */
                amountCrypto: string
                /** @enum {string} */
                asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
                /** Format: date-time */
                expiresAt: string
                network: string
                rate: string
                /** Format: date-time */
                rateAt: string
                rateSource: string
                uri: string
              }
              received: string | null
              seen: string | null
              settledAt: string | null
              /** @enum {string} */
              stage:
                | 'waiting'
                | 'seen'
                | 'confirming'
                | 'confirmed'
                | 'underpaid'
                | 'dropped'
                | 'reversed'
                | 'expired'
                | 'paid'
                | 'paid_under'
                | 'paid_over'
                | 'paid_late'
                | 'declined'
              /** @enum {string} */
              status: 'pending' | 'paid' | 'unpaid' | 'declined'
              transactionId: string | null
              /** Format: uuid */
              user: string
              userName: string | null
              watched: boolean
              wrongAssetTransfers: number
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userEarnings': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Earnings */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              /** Format: usd */
              beyondAccrued: Usd
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              investment: string | null
              investmentLabel: string | null
              note: string | null
              source: string
              /** @enum {string} */
              status: 'pending' | 'paid' | 'declined'
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userHistory': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Account history */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              _id: string
              action: string
              actorName: string | null
              /** Format: date-time */
              at: string
              details: {
                [key: string]: unknown
              }
              ip: string | null
              reason: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userInvestments': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Investments */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              accrued: Usd
              /** Format: usd */
              after30Days: Usd
              /** Format: usd */
              amount: Usd
              approvedAt: string | null
              cancelled: boolean
              closedAt: string | null
              closeReason: string | null
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              duration: string
              /** Format: usd */
              earned: Usd
              endingDate: string | null
              held: boolean
              invoiceId: string
              matured: boolean
              /** @enum {string} */
              method: 'bitcoin' | 'usdt' | 'balance'
              percentage: number
              plan: string
              reinvestedAs: {
                /** Format: uuid */
                _id: string
                invoiceId: string
              } | null
              /** @description 'requested' while active: the principal is to be invested again at the end; once closed: 'done', or why we did not */
              reinvestment:
                | (
                    | 'requested'
                    | 'done'
                    | 'early'
                    | 'debt'
                    | 'plan_changed'
                    | 'identity_refused'
                    | 'email_not_verified'
                    | 'terms_not_accepted'
                  )
                | null
              /** @enum {string} */
              status: 'pending' | 'active' | 'inactive' | 'declined'
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userNotes': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Notes */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              author: string
              /** Format: date-time */
              createdAt: string
              note: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userReferrals': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Referrals */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: date-time */
              createdAt: string
              email: string
              name: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userSessions': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Open sessions */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: date-time */
              createdAt: string
              ip: string | null
              /** Format: date-time */
              lastUsedAt: string
              userAgent: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.userWithdrawals': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        user: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Withdrawals */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              approvals: number
              approvalsNeeded: number
              approvedAt: string | null
              batch: {
                /** Format: uuid */
                _id: string
                exclusive: boolean
                number: string
                shown: boolean
                /** @enum {string} */
                status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
              } | null
              cancelled: boolean
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              invoiceId: string
              paidAt: string | null
              payout: {
                /** Format: decimal */
                amountCrypto: string
                /** @enum {string} */
                asset: 'BTC' | 'USDT' | 'ETH'
                rate: string
                /** Format: date-time */
                rateAt: string
                rateSource: string
              } | null
              /** Format: usd */
              recovered: Usd
              secondApproval: ('amount' | 'investor_day' | 'approver_day') | null
              /** Format: usd */
              singleApproval: Usd
              /** @enum {string} */
              status: 'pending' | 'approved' | 'paid' | 'declined'
              transactionId: string | null
              /** Format: uuid */
              user: string
              userName: string | null
              /** @enum {string} */
              wallet:
                | 'Bitcoin (BTC)'
                | 'Bitcoin Cash (BCH)'
                | 'Ethereum Classic (ETC)'
                | 'Ethereum (ETH)'
                | 'Litecoin (LTC)'
                | 'USDT TRC-20'
                | 'USDT ERC-20'
                | 'Ripple Coin (XRP)'
                | 'Dogecoin (DOGE)'
              walletAddress: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'console.user': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description User */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              accounts: {
                /** @enum {string} */
                account: 'available' | 'invested' | 'held'
                /** Format: usd */
                balance: Usd
                kinds: {
                  /** Format: usd */
                  in: Usd
                  /** @enum {string} */
                  kind: 'deposit' | 'investment' | 'earning' | 'withdrawal'
                  /** Format: usd */
                  out: Usd
                }[]
              }[]
              activeInvestments: number
              /** Format: usd */
              balance: Usd
              closedAt: string | null
              country: string
              /** Format: date-time */
              createdAt: string
              email: string
              emailVerified: boolean
              emailVerifiedAt: string | null
              exposed: {
                open: number
                same: number
              }
              freeze: {
                /** Format: date-time */
                at: string
                by: string
                reason: string
              } | null
              frozen: boolean
              /** Format: usd */
              held: Usd
              identity: {
                expiresOn: string | null
                /** @enum {string} */
                level: 'none' | 'identity' | 'funds'
                refused: boolean
                waiting: number
              }
              /** Format: usd */
              invested: Usd
              /** @enum {string} */
              language: 'en' | 'de' | 'es' | 'ar'
              matches: {
                open: number
                same: number
              }
              name: string
              openCases: number
              passkeys: number
              pendingEmail: string | null
              phone: string
              proofErasedAt: string | null
              referralCode: string
              referredBy: {
                /** Format: uuid */
                _id: string
                name: string
              } | null
              referrer: string | null
              role: ('admin' | 'finance' | 'support' | 'compliance' | 'auditor') | null
              secondFactorSince: string | null
              terms: {
                /** Format: date-time */
                at: string
                /** @enum {string} */
                language: 'en' | 'de' | 'es' | 'ar'
                version: number
              } | null
              /** @enum {string} */
              type: 'investor' | 'admin'
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'deposit.list': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        method?: 'bitcoin' | 'usdt' | 'ethereum' | 'usdt-erc20' | 'usdc-erc20'
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'method' | '-method'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Deposits */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              arrivalRate: string | null
              arrivalRateSource: string | null
              arrivedAt: string | null
              canCancel: boolean
              cancelled: boolean
              canCredit: boolean
              confirmations: {
                have: number
                needed: number
              } | null
              /** Format: date-time */
              createdAt: string
              credited: Usd | null
              /** Format: usd */
              debt: Usd
              declineReason: string | null
              deviation: ('underpaid' | 'overpaid' | 'late') | null
              flags: (
                | 'wrong_asset'
                | 'reversed'
                | 'debt'
                | 'unsolicited'
                | 'rate_missing'
                | 'after_decline'
                | 'large'
                | 'manual_credit'
                | 'by_contract'
                | 'daily_limit'
                | 'second_source'
                | 'listed_sender'
              )[]
              investment: string | null
              invoiceId: string
              label: string
              /** @enum {string} */
              method: 'bitcoin' | 'usdt' | 'ethereum' | 'usdt-erc20' | 'usdc-erc20'
              missing: string | null
              missingUri: string | null
              needsReview: boolean
              payment: {
                address: string
                /** Format: decimal */
                amountCrypto: string
                /** @enum {string} */
                asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
                /** Format: date-time */
                expiresAt: string
                network: string
                rate: string
                /** Format: date-time */
                rateAt: string
                rateSource: string
                uri: string
              }
              received: string | null
              seen: string | null
              settledAt: string | null
              /** @enum {string} */
              stage:
                | 'waiting'
                | 'seen'
                | 'confirming'
                | 'confirmed'
                | 'underpaid'
                | 'dropped'
                | 'reversed'
                | 'expired'
                | 'paid'
                | 'paid_under'
                | 'paid_over'
                | 'paid_late'
                | 'declined'
              /** @enum {string} */
              status: 'pending' | 'paid' | 'unpaid' | 'declined'
              transactionId: string | null
              /** Format: uuid */
              user: string
              userName: string | null
              watched: boolean
              wrongAssetTransfers: number
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'deposit.csv': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description First day */
        from?: string
        method?: 'bitcoin' | 'usdt' | 'ethereum' | 'usdt-erc20' | 'usdc-erc20'
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'method' | '-method'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Deposits as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'earning.list': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Earnings */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              /** Format: usd */
              beyondAccrued: Usd
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              investment: string | null
              investmentLabel: string | null
              note: string | null
              source: string
              /** @enum {string} */
              status: 'pending' | 'paid' | 'declined'
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'earning.listPlanShares': {
    parameters: {
      query: {
        asOf?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        plan: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Earnings of a plan by investment */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              /** Format: date-time */
              approvedAt: string
              invoiceId: string
              percentage: number
              /** Format: usd */
              principal: Usd
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'earning.csv': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Earnings as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'earning.planRun': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Run of earnings */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              added: number
              /** Format: usd */
              addedTotal: Usd
              /** Format: date-time */
              asOf: string
              by: string | null
              count: number
              /** Format: date-time */
              createdAt: string
              endedAt: string | null
              left: number
              /** Format: usd */
              leftTotal: Usd
              needsApproval: boolean
              note: string | null
              plan: string
              skipped: number
              /** Format: usd */
              skippedTotal: Usd
              skips: {
                /** Format: usd */
                amount: Usd
                /** Format: uuid */
                investment: string
                invoiceId: string
                /** @enum {string} */
                reason: 'closed' | 'frozen' | 'already_added'
              }[]
              /** @enum {string} */
              status: 'running' | 'done' | 'cancelled' | 'stopped'
              stopReason: ('insufficient_returns' | 'access_ended') | null
              /** Format: usd */
              total: Usd
            } | null
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'earning.previewPlan': {
    parameters: {
      query?: {
        asOf?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Earnings of a plan */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              asOf: string
              count: number
              digest: string
              frozenLeftOut: number
              latestBegan: string | null
              /** Format: usd */
              left: Usd
              needsApproval: boolean
              ownLeftOut: number
              plan: string
              /** Format: usd */
              total: Usd
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'investment.list': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        method?: 'bitcoin' | 'usdt' | 'balance'
        plan?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'ending' | '-ending'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Investments */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              accrued: Usd
              /** Format: usd */
              after30Days: Usd
              /** Format: usd */
              amount: Usd
              approvedAt: string | null
              cancelled: boolean
              closedAt: string | null
              closeReason: string | null
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              duration: string
              /** Format: usd */
              earned: Usd
              endingDate: string | null
              held: boolean
              invoiceId: string
              matured: boolean
              /** @enum {string} */
              method: 'bitcoin' | 'usdt' | 'balance'
              percentage: number
              plan: string
              reinvestedAs: {
                /** Format: uuid */
                _id: string
                invoiceId: string
              } | null
              /** @description 'requested' while active: the principal is to be invested again at the end; once closed: 'done', or why we did not */
              reinvestment:
                | (
                    | 'requested'
                    | 'done'
                    | 'early'
                    | 'debt'
                    | 'plan_changed'
                    | 'identity_refused'
                    | 'email_not_verified'
                    | 'terms_not_accepted'
                  )
                | null
              /** @enum {string} */
              status: 'pending' | 'active' | 'inactive' | 'declined'
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'investment.csv': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description First day */
        from?: string
        method?: 'bitcoin' | 'usdt' | 'balance'
        plan?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'ending' | '-ending'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Investments as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'payout.list': {
    parameters: {
      query?: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Payout batches */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              alerts: number
              amount: Usd | null
              /** Format: decimal */
              amountCrypto: string
              /** @enum {string} */
              asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
              bySafe: boolean
              cancelledAt: string | null
              cancelledBy: string | null
              cancelReason: string | null
              count: number
              /** Format: date-time */
              createdAt: string
              createdBy: {
                /** Format: uuid */
                _id: string
                name: string
              }
              endedAt: string | null
              network: string
              number: string
              paid: number
              /** @enum {string} */
              purpose: 'payout' | 'sweep'
              sender: string | null
              /** @enum {string} */
              status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
              /** @enum {string} */
              wallet: 'Bitcoin (BTC)' | 'Ethereum (ETH)' | 'USDT TRC-20' | 'USDT ERC-20' | 'USDC ERC-20'
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'payout.getOne': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Payout batch */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              alerts: number
              amount: Usd | null
              /** Format: decimal */
              amountCrypto: string
              /** @enum {string} */
              asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
              bySafe: boolean
              cancelledAt: string | null
              cancelledBy: string | null
              cancelReason: string | null
              count: number
              /** Format: date-time */
              createdAt: string
              createdBy: {
                /** Format: uuid */
                _id: string
                name: string
              }
              endedAt: string | null
              feeRateNow: number | null
              files: {
                change: {
                  address: string
                  /** Format: decimal */
                  amountCrypto: string
                } | null
                /** Format: date-time */
                createdAt: string
                exportedAt: string | null
                fee: {
                  /** Format: decimal */
                  amountCrypto: string
                  /** @enum {string} */
                  asset: 'BTC' | 'ETH'
                  rate: number | null
                } | null
                name: string
                /** @enum {string} */
                purpose: 'payment' | 'higher_fee' | 'cancellation'
                safeTxHash: string | null
                sha256: string
                size: number
                version: number
              }[]
              items: {
                address: string
                alert: {
                  /** Format: decimal */
                  amountCrypto: string
                  /** Format: date-time */
                  at: string
                  dropped: boolean
                  /** @enum {string} */
                  kind: 'otherwise' | 'dropped'
                  reviewed: {
                    /** Format: date-time */
                    at: string
                    by: string
                    note: string
                  } | null
                  transactionId: string
                } | null
                /** Format: usd */
                amount: Usd
                /** Format: decimal */
                amountCrypto: string
                frozen: boolean
                invoiceId: string
                listed: boolean
                payment: number
                /** @enum {string} */
                state: 'open' | 'paid' | 'released'
                transactionId: string | null
                /** Format: uuid */
                user: string
                userName: string | null
                /** Format: uuid */
                withdrawal: string
              }[]
              moves: {
                address: string
                alert: {
                  /** Format: decimal */
                  amountCrypto: string
                  /** Format: date-time */
                  at: string
                  dropped: boolean
                  /** @enum {string} */
                  kind: 'otherwise' | 'dropped'
                  reviewed: {
                    /** Format: date-time */
                    at: string
                    by: string
                    note: string
                  } | null
                  transactionId: string
                } | null
                /** Format: decimal */
                amountCrypto: string
                /** @enum {string} */
                asset: 'ETH' | 'USDT' | 'USDC' | 'TRX'
                from: string
                /** @enum {string} */
                kind: 'sweep' | 'top_up'
                payment: number
                /** @enum {string} */
                state: 'open' | 'paid' | 'released'
                transactionId: string | null
              }[]
              network: string
              number: string
              paid: number
              payments: {
                confirmations: {
                  have: number
                  needed: number
                } | null
                expiresAt: string | null
                position: number
                signed: {
                  broadcastAt: string | null
                  refused: string | null
                  signatures: {
                    have: number
                    needed: number
                  } | null
                  transactionId: string | null
                  version: number
                }[]
                slots: {
                  amountCrypto: string | null
                  slot: string
                }[]
                /** @enum {string} */
                status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
                usedBy: string | null
                waitsFor: {
                  /** Format: uuid */
                  batch: string
                  nonce: number
                  number: string
                } | null
                waitsForTopUp: boolean
              }[]
              /** @enum {string} */
              purpose: 'payout' | 'sweep'
              sender: string | null
              /** @enum {string} */
              status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
              /** @enum {string} */
              wallet: 'Bitcoin (BTC)' | 'Ethereum (ETH)' | 'USDT TRC-20' | 'USDT ERC-20' | 'USDC ERC-20'
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'payout.outgoing': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Unexplained transactions */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              bySafe: boolean
              explanation: {
                /** Format: date-time */
                at: string
                by: string
                reason: string
                userId: string
              } | null
              mined: boolean
              /** @enum {string} */
              rail: 'bitcoin' | 'usdt' | 'ethereum'
              /** Format: date-time */
              seenAt: string
              sender: string | null
              transactionId: string
            }[]
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'payout.ready': {
    parameters: {
      query?: {
        /** @description Default: the coin whose withdrawal has waited longest, if batches of it are available */
        wallet?: 'Bitcoin (BTC)' | 'Ethereum (ETH)' | 'USDT TRC-20' | 'USDT ERC-20'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Withdrawals to pay out */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              asksFeeRate: boolean
              feeRateNow: number | null
              more: boolean
              most: number
              unavailable: string | null
              /** @enum {string} */
              wallet: 'Bitcoin (BTC)' | 'Ethereum (ETH)' | 'USDT TRC-20' | 'USDT ERC-20'
              withdrawals: {
                /** Format: uuid */
                _id: string
                /** Format: usd */
                amount: Usd
                amountCrypto: string | null
                /** Format: date-time */
                approvedAt: string
                flagged: string | null
                frozen: boolean
                inDebt: boolean
                invoiceId: string
                nameStopped: boolean
                unpayable: string | null
                /** Format: uuid */
                user: string
                userName: string | null
                walletAddress: string
              }[]
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'plan.catalogue': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Investment plans */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              activeInvestments: number
              /** Format: date-time */
              changedAt: string
              duration: string
              durationDays: number
              maximum: Usd | null
              /** Format: usd */
              minimum: Usd
              name: string
              note: string | null
              percentage: number
              retired: boolean
              version: number
            }[]
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'plan.versions': {
    parameters: {
      query?: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Versions */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              activeInvestments: number
              /** @enum {string} */
              change: 'created' | 'changed' | 'retired' | 'restored'
              /** Format: date-time */
              changedAt: string
              changedBy: string | null
              duration: string
              durationDays: number
              /** Format: usd */
              invested: Usd
              maximum: Usd | null
              /** Format: usd */
              minimum: Usd
              name: string
              note: string | null
              percentage: number
              reason: string | null
              version: number
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'price.sources': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Price sources */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              asOf: string
              coins: {
                name: string
                readings: {
                  ageSeconds: number
                  /** Format: date-time */
                  at: string
                  source: string
                  /** @enum {string} */
                  standing: 'counted' | 'rejected' | 'stale' | 'disputed'
                  usd: string
                }[]
                state: ('good' | 'stale' | 'disputed' | 'alone') | null
                symbol: string
                usd: string | null
              }[]
              sources: {
                answeredAt: string | null
                askedAt: string | null
                /** @enum {string} */
                breaker: 'closed' | 'open' | 'half_open'
                failures: number
                fault: {
                  /** Format: date-time */
                  at: string
                  words: string
                } | null
                reading: {
                  ageSeconds: number
                  /** Format: date-time */
                  at: string
                } | null
                restUntil: string | null
                sample: boolean
                source: string
              }[]
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'proof.opening': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Opening */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/plain': string
        }
      }
    }
  }
  'proof.status': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Public proof */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              auditors: {
                isConfigured: boolean
                name: string
                newest: {
                  /** Format: date-time */
                  at: string
                  epoch: number
                } | null
              }[]
              authorities: {
                isConfigured: boolean
                missingSince: string | null
                name: string
                newest: {
                  /** Format: date-time */
                  at: string
                  epoch: number
                } | null
                problem: string | null
              }[]
              copies: {
                isBucket: boolean
                newest: {
                  /** Format: date-time */
                  at: string
                  epoch: number
                } | null
                place: string
                problem: string | null
              }[]
              newest: {
                day: string
                epoch: number
                root: string
                /** Format: date-time */
                signedAt: string
                size: number
              } | null
              nextEndsAt: string | null
              problems: {
                /** @enum {string} */
                kind: 'signing' | 'writing' | 'overdue' | 'reserves'
                reason: string | null
                /** Format: date-time */
                since: string
              }[]
              witnesses: {
                /** @description When the first epoch was signed that it lacks */
                missingSince: string | null
                name: string
                newest: {
                  /** Format: date-time */
                  at: string
                  epoch: number
                } | null
                problem: string | null
                /**
                 * @description Of the newest epoch; `forked`: it has cosigned another history
                 * @enum {string}
                 */
                state: 'cosigned' | 'waiting' | 'unreachable' | 'refused' | 'forked'
              }[]
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'return.list': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'realised' | '-realised' | 'amount' | '-amount'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Recorded returns */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              approvedBy: string | null
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              evidence: string
              evidenceFile: {
                name: string
                sha256: string
                size: number
                /** @enum {string} */
                type: 'application/pdf' | 'image/png'
              } | null
              /** @enum {string} */
              evidenceKind: 'link' | 'transaction' | 'file'
              /** Format: usd */
              left: Usd
              /** Format: usd */
              paidOut: Usd
              realisedAt: string
              recordedBy: string | null
              source: string
              /** @enum {string} */
              status: 'pending' | 'recorded' | 'declined' | 'void_proposed' | 'voided'
              voidedBy: string | null
              voidProposedBy: string | null
              voidReason: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'return.csv': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'realised' | '-realised' | 'amount' | '-amount'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Recorded returns as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'return.getOne': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Recorded return */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              approvedBy: string | null
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              evidence: string
              evidenceFile: {
                name: string
                sha256: string
                size: number
                /** @enum {string} */
                type: 'application/pdf' | 'image/png'
              } | null
              /** @enum {string} */
              evidenceKind: 'link' | 'transaction' | 'file'
              history: {
                action: string
                actor: string
                /** Format: date-time */
                at: string
                reason: string | null
              }[]
              /** Format: usd */
              left: Usd
              /** Format: usd */
              paidOut: Usd
              realisedAt: string
              recordedBy: string | null
              /** @description The epoch of the public proof that has it, with the hash of its file; null until it has ended */
              sealedInEpoch: number | null
              source: string
              /** @enum {string} */
              status: 'pending' | 'recorded' | 'declined' | 'void_proposed' | 'voided'
              voidedBy: string | null
              voidProposedBy: string | null
              voidReason: string | null
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'return.payments': {
    parameters: {
      query: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        returnId: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Paid out of this return */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              /** Format: usd */
              earning: Usd
              /** Format: uuid */
              investment: string
              investmentLabel: string
              paidAt: string | null
              /** Format: uuid */
              user: string
              userName: string | null
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'screening.list': {
    parameters: {
      query?: {
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        list?: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'found' | '-found' | 'score' | '-score' | 'name' | '-name'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Matches of names */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              decidedAt: string | null
              decidedBy: string | null
              decider: string | null
              entry: string
              /** Format: date-time */
              foundAt: string
              /** @description True while the entry is on its list */
              inForce: boolean
              /** @enum {string} */
              kind: 'person' | 'organisation' | 'vessel' | 'aircraft'
              /** @enum {string} */
              list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
              listedName: string
              publisher: string
              reason: string | null
              /** @description How alike the names are, out of 100 */
              score: number
              /**
               * @description open until someone decides; lapsed if the entry left the list before; different: somebody else; same: the listed person
               * @enum {string}
               */
              status: 'open' | 'different' | 'same' | 'lapsed'
              /** Format: uuid */
              user: string
              userName: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'screening.csv': {
    parameters: {
      query?: {
        /** @description First day */
        from?: string
        list?: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'found' | '-found' | 'score' | '-score' | 'name' | '-name'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Matches of names as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
  'screening.getOne': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Match of names */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              decidedAt: string | null
              decidedBy: string | null
              decider: string | null
              details: {
                births: string[]
                countries: string[]
                names: string[]
                programmes: string[]
                weak: string[]
              }
              entry: string
              /** Format: date-time */
              foundAt: string
              /** @description True while the entry is on its list */
              inForce: boolean
              /** @enum {string} */
              kind: 'person' | 'organisation' | 'vessel' | 'aircraft'
              /** @enum {string} */
              list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
              listedName: string
              others: {
                /** Format: uuid */
                _id: string
                decidedAt: string | null
                decidedBy: string | null
                decider: string | null
                entry: string
                /** Format: date-time */
                foundAt: string
                /** @description True while the entry is on its list */
                inForce: boolean
                /** @enum {string} */
                kind: 'person' | 'organisation' | 'vessel' | 'aircraft'
                /** @enum {string} */
                list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
                listedName: string
                publisher: string
                reason: string | null
                /** @description How alike the names are, out of 100 */
                score: number
                /**
                 * @description open until someone decides; lapsed if the entry left the list before; different: somebody else; same: the listed person
                 * @enum {string}
                 */
                status: 'open' | 'different' | 'same' | 'lapsed'
                /** Format: uuid */
                user: string
                userName: string
              }[]
              person: {
                /** Format: uuid */
                _id: string
                closed: boolean
                country: string
                email: string
                frozen: boolean
                name: string
              }
              publisher: string
              reason: string | null
              /** @description How alike the names are, out of 100 */
              score: number
              /**
               * @description open until someone decides; lapsed if the entry left the list before; different: somebody else; same: the listed person
               * @enum {string}
               */
              status: 'open' | 'different' | 'same' | 'lapsed'
              /** Format: uuid */
              user: string
              userName: string
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'screening.lists': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Lists */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              lists: {
                /** @description When its file was last read and is in force since, or was already */
                checkedAt: string | null
                /** @description Its file cannot be read; refused: it was read, and does not replace the one in force */
                failing: {
                  refused: boolean
                  /** Format: date-time */
                  since: string
                  why: string
                } | null
                fetched: boolean
                inForce: {
                  entries: number
                  /** Format: date-time */
                  importedAt: string
                  publishedOn: string
                  wallets: number
                } | null
                /** @enum {string} */
                list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
                publisher: string
                /** @description True if it was not checked for 2 days */
                stale: boolean
              }[]
              toCompare: {
                count: number
                isAtLeast: boolean
              }
            }
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'sweep.holdings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Deposits to move */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              addresses: number
              /** Format: decimal */
              amountCrypto: string
              /** @enum {string} */
              asset: 'ETH' | 'USDT' | 'USDC'
              failure: string | null
              isReading: boolean
              network: string
              readAt: string | null
              unavailable: string | null
              /** @enum {string} */
              wallet: 'Ethereum (ETH)' | 'USDT ERC-20' | 'USDC ERC-20' | 'USDT TRC-20'
            }[]
            message: string
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'withdrawal.list': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description The previous page's `page.nextCursor` */
        cursor?: string
        /** @description First day */
        from?: string
        /** @description Rows per page */
        limit?: number
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'wallet' | '-wallet'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        wallet?:
          | 'Bitcoin (BTC)'
          | 'Bitcoin Cash (BCH)'
          | 'Ethereum Classic (ETC)'
          | 'Ethereum (ETH)'
          | 'Litecoin (LTC)'
          | 'USDT TRC-20'
          | 'USDT ERC-20'
          | 'Ripple Coin (XRP)'
          | 'Dogecoin (DOGE)'
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Withdrawals */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              _id: string
              /** Format: usd */
              amount: Usd
              approvals: number
              approvalsNeeded: number
              approvedAt: string | null
              batch: {
                /** Format: uuid */
                _id: string
                exclusive: boolean
                number: string
                shown: boolean
                /** @enum {string} */
                status: 'drafted' | 'signed' | 'broadcast' | 'final' | 'void'
              } | null
              cancelled: boolean
              /** Format: date-time */
              createdAt: string
              declineReason: string | null
              invoiceId: string
              paidAt: string | null
              payout: {
                /** Format: decimal */
                amountCrypto: string
                /** @enum {string} */
                asset: 'BTC' | 'USDT' | 'ETH'
                rate: string
                /** Format: date-time */
                rateAt: string
                rateSource: string
              } | null
              /** Format: usd */
              recovered: Usd
              secondApproval: ('amount' | 'investor_day' | 'approver_day') | null
              /** Format: usd */
              singleApproval: Usd
              /** @enum {string} */
              status: 'pending' | 'approved' | 'paid' | 'declined'
              transactionId: string | null
              /** Format: uuid */
              user: string
              userName: string | null
              /** @enum {string} */
              wallet:
                | 'Bitcoin (BTC)'
                | 'Bitcoin Cash (BCH)'
                | 'Ethereum Classic (ETC)'
                | 'Ethereum (ETH)'
                | 'Litecoin (LTC)'
                | 'USDT TRC-20'
                | 'USDT ERC-20'
                | 'Ripple Coin (XRP)'
                | 'Dogecoin (DOGE)'
              walletAddress: string
            }[]
            message: string
            page: {
              nextCursor: string | null
              /** @description Number of rows in total */
              total: number
              /**
               * @description True if there are more rows than `total`, because counting stopped there
               * @constant
               */
              totalIsAtLeast?: true
            }
            /** @constant */
            status: 'success'
          }
        }
      }
    }
  }
  'withdrawal.csv': {
    parameters: {
      query?: {
        /** @description Smallest amount */
        amountFrom?: string
        /** @description Largest amount */
        amountTo?: string
        /** @description First day */
        from?: string
        /** @description Only rows that contain this text, in any case, or have this id */
        q?: string
        sort?: 'created' | '-created' | 'amount' | '-amount' | 'status' | '-status' | 'wallet' | '-wallet'
        /** @description Only rows with this status; a refusal lists the valid ones */
        status?: string
        /** @description Last day */
        to?: string
        wallet?:
          | 'Bitcoin (BTC)'
          | 'Bitcoin Cash (BCH)'
          | 'Ethereum Classic (ETC)'
          | 'Ethereum (ETH)'
          | 'Litecoin (LTC)'
          | 'USDT TRC-20'
          | 'USDT ERC-20'
          | 'Ripple Coin (XRP)'
          | 'Dogecoin (DOGE)'
        /** @description Time zone of the days */
        zone?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Withdrawals as CSV */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
    }
  }
}
