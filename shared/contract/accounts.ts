import { z } from 'zod'
import { phonePattern } from '#shared/account-rules.ts'
import { countryNames } from '#shared/countries.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import {
  leastAge,
  maximumPasswordLength,
  minimumPasswordLength,
  verificationCodeLength,
} from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { earning, investment, totalAndList, user, withdrawal } from './entities.ts'
import { emailAddress, idParams, nothing, personName, recordId, textLine, timestamp, usd } from './fields.ts'
import { shownTerms } from './policies.ts'
import { userFile, userTable } from './tables.ts'

const password = z
  .string({ error: () => t('Password is required') })
  .min(1, { error: () => t('Password is required') })
  .max(maximumPasswordLength, {
    error: () => t('Password can have at most {maximum} characters', { maximum: maximumPasswordLength }),
  })
const newPassword = password.min(
  minimumPasswordLength,
  { error: () => t('Password must be at least six characters long') },
)

/** The browser's random device id: a login from an unknown one is notified. */
const device = z
  .string()
  .regex(/^[\w-]{16,64}$/, { error: () => t('Device is not valid') })
  .optional()

const phone = textLine(msg('Phone'), 32).regex(phonePattern, { error: () => t('Enter a valid phone number') })

export const tokenPair = z.object({ accessToken: z.string(), refreshToken: z.string() })
export type TokenPair = z.output<typeof tokenPair>

const overview = z.object({
  user,
  investments: totalAndList(investment),
  withdrawals: totalAndList(withdrawal),
  earnings: totalAndList(earning),
})

/** The fields of a profile (D-04), shared by the profile form and sign-up. */
export const profileBody = z.object({
  name: personName,
  email: emailAddress,
  phone,
  /** A name of shared/countries.ts; the profile may keep an older one. */
  country: textLine(msg('Country'), 80),
})

export const signup = defineCall({
  id: 'auth.signup',
  method: 'POST',
  path: '/auth/signup',
  permission: 'public',
  summary: `Opens an account and mails the verification code. The person states that they are at least ${leastAge} years old, and accepts the firm's terms in force`,
  message: msg('Account created. Enter the code sent to your email'),
  body: profileBody.extend({
    country: z.enum(countryNames, {
      error: ({ input }) => (input ? t('Choose a country from the list') : t('Country is required')),
    }),
    password: newPassword,
    /** Optional on the wire; if sent, it must match the password. */
    confirmPassword: z.string().max(maximumPasswordLength).optional(),
    /** The referrer's code. */
    referrer: z
      .string()
      .trim()
      .max(20, { error: () => t('Unknown referral code') })
      .regex(/^[^\p{Cc}]*$/u, { error: () => t('Unknown referral code') })
      .optional(),
    /** The firm's terms as the person was shown them; refused if they are no longer in force. */
    terms: shownTerms.optional(),
    device,
  }),
  data: z.object({ token: tokenPair, user }),
  refusals: ['email_taken', 'wrong_state'],
})

export const login = defineCall({
  id: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  permission: 'public',
  summary:
    "Logs in; an account with two-factor authentication also needs 'code': an authenticator or recovery code",
  message: msg('Login successfull'),
  body: z.object({
    email: emailAddress,
    password,
    device,
    code: z
      .string()
      .trim()
      .max(40, { error: () => t('The code is too long') })
      .optional(),
  }),
  data: overview.extend({ token: tokenPair }),
  refusals: ['invalid_credentials', 'second_factor_required', 'invalid_code', 'too_many_tries', 'forbidden'],
})

export const verifyEmail = defineCall({
  id: 'auth.verifyEmail',
  method: 'POST',
  path: '/auth/email-verification',
  permission: 'public',
  knowsCaller: true,
  summary:
    "Verifies an email address by its six-digit code; the token or the email in the body names the account. In a session of the account, a pending address becomes the account's",
  message: msg('Email verified successfully'),
  body: z.object({
    otp: z
      .string({ error: () => t('Email verification code is required') })
      .trim()
      .min(1, { error: () => t('Email verification code is required') })
      .regex(new RegExp(`^\\d{${verificationCodeLength}}$`), { error: () => t('The code has six digits') }),
    email: emailAddress.optional(),
  }),
  data: nothing,
  refusals: ['invalid_code', 'code_expired', 'too_many_tries', 'email_taken'],
})

export const requestVerification = defineCall({
  id: 'auth.requestVerification',
  method: 'POST',
  path: '/auth/email-verification/request',
  permission: 'public',
  knowsCaller: true,
  summary:
    "Mails a new code; answers the same whether or not the account exists. 'email' is in the query, in the body, or the same in both",
  message: msg('If this email belongs to an unverified account, a new code is on its way'),
  /** In the query, in the body, or the same in both (C-04). */
  query: z.object({ email: emailAddress.optional() }),
  body: z.object({ email: emailAddress.optional() }),
  data: nothing,
  refusals: ['rate_limited'],
})

export const refresh = defineCall({
  id: 'auth.refresh',
  method: 'POST',
  path: '/auth/refresh',
  permission: 'public',
  summary: 'Exchanges a refresh token for a new pair; reusing one ends its session',
  message: msg('Session renewed'),
  body: z.object({
    refreshToken: z
      .string({ error: () => t('Refresh token is required') })
      .min(1)
      .max(500),
  }),
  data: z.object({ token: tokenPair }),
  refusals: ['token_invalid', 'token_expired'],
})

export const logout = defineCall({
  id: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  permission: 'account',
  summary: 'Ends the session: its refresh token and its access tokens are refused from now on',
  message: msg('You are logged out'),
  data: nothing,
})

export const forgotPassword = defineCall({
  id: 'auth.forgotPassword',
  method: 'POST',
  path: '/auth/password/forgot',
  permission: 'public',
  summary: 'Mails a link that sets a new password; answers the same whether or not the account exists',
  message: msg('If this email belongs to an account, a link to set a new password is on its way'),
  body: z.object({ email: emailAddress }),
  data: nothing,
})

export const resetPassword = defineCall({
  id: 'auth.resetPassword',
  method: 'POST',
  path: '/auth/password/reset',
  permission: 'public',
  summary: 'Sets a new password by a mailed link, once; ends every session',
  message: msg('Password updated successfully'),
  body: z.object({
    token: z
      .string({ error: () => t('The link is not complete') })
      .min(1, { error: () => t('The link is not complete') })
      .max(200),
    password: newPassword,
  }),
  data: nothing,
  refusals: ['invalid_reset_token'],
})

export const changePassword = defineCall({
  id: 'auth.changePassword',
  method: 'PUT',
  path: '/auth/password',
  permission: 'account',
  summary: 'Changes the password; ends every other session',
  message: msg('Password updated successfully'),
  body: z.object({ oldPassword: password, newPassword }),
  data: nothing,
  refusals: ['too_many_tries'],
})

export const updateProfile = defineCall({
  id: 'auth.updateProfile',
  method: 'PUT',
  path: '/auth/me/update',
  permission: 'account',
  summary:
    'Updates the profile; a new email address needs a recent reauthentication and is pending until its code is entered',
  message: msg('Profile updated successfully'),
  body: profileBody,
  data: z.object({ user }),
  refusals: ['email_taken', 'proof_required', 'forbidden'],
})

export const chooseLanguage = defineCall({
  id: 'auth.chooseLanguage',
  method: 'PUT',
  path: '/auth/me/language',
  permission: 'account',
  summary: "Chooses the language of the caller's emails and pages",
  message: msg('Language updated successfully'),
  body: z.object({ language: z.enum(languageCodes, { error: () => t('Choose a language from the list') }) }),
  data: z.object({ user }),
})

export const dropEmailChange = defineCall({
  id: 'auth.dropEmailChange',
  method: 'DELETE',
  path: '/auth/me/pending-email',
  permission: 'account',
  summary: 'Drops the pending email address; the account keeps its current one',
  message: msg('Your email address stays the same'),
  data: z.object({ user }),
})

export const me = defineCall({
  id: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  permission: 'account',
  summary: 'The caller with their balances',
  message: msg('Your account'),
  data: user,
})

export const echo = defineCall({
  id: 'auth.echo',
  method: 'GET',
  path: '/auth/echo',
  permission: 'account',
  summary: 'The caller with totals and lists; staff may read any user',
  message: msg('Your account'),
  query: z.object({ email: emailAddress }),
  data: overview,
  refusals: ['forbidden', 'not_found'],
})

export const summary = defineCall({
  id: 'auth.summary',
  method: 'GET',
  path: '/auth/summary',
  permission: 'account',
  summary: "The sums on the caller's pages, each computed from the ledger or from the records it covers",
  message: msg('Your figures'),
  data: z.object({
    balance: usd,
    invested: usd,
    held: usd,
    /** `total` includes active and `closed` investments, not `pending` ones. */
    investments: z.object({ total: usd, active: usd, closed: usd, pending: usd }),
    earnings: z.object({ total: usd }),
    /** `total` excludes declined requests; `approved` includes paid ones (D7); `times` is the number of requests. */
    withdrawals: z.object({ total: usd, approved: usd, pending: usd, times: z.int() }),
    deposits: z.object({ total: usd, pending: usd }),
  }),
})

export const session = z.object({
  _id: recordId,
  createdAt: timestamp,
  lastUsedAt: timestamp,
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  /** True for the session that makes this request. */
  current: z.boolean(),
})

export const listSessions = defineCall({
  id: 'auth.listSessions',
  method: 'GET',
  path: '/auth/sessions',
  permission: 'account',
  list: true,
  summary: "The caller's open sessions, newest first; 'q' searches device and IP address",
  message: msg('Your sessions'),
  query: listQuery.omit({ status: true }),
  data: z.array(session),
})

export const listReferred = defineCall({
  id: 'auth.listReferred',
  method: 'GET',
  path: '/auth/referred',
  permission: 'account',
  list: true,
  summary:
    "Who registered with the caller's referral code and verified their email address, newest first: their first name and the initial of their last",
  message: msg('Who joined with your code'),
  query: listQuery.pick({ limit: true, cursor: true }),
  data: z.array(z.object({ name: z.string(), joinedAt: timestamp })),
})

export const endSession = defineCall({
  id: 'auth.endSession',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  permission: 'account',
  summary: "Ends one of the caller's sessions; another one than this needs a recent reauthentication",
  message: msg('Session ended'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden', 'proof_required'],
})

export const endOtherSessions = defineCall({
  id: 'auth.endOtherSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  permission: 'account',
  summary: "Ends all the caller's other sessions; needs a recent reauthentication",
  message: msg('Other sessions ended'),
  data: z.object({ ended: z.int() }),
  refusals: ['proof_required'],
})

export const reauthenticate = defineCall({
  id: 'auth.giveProof',
  method: 'POST',
  path: '/auth/proof',
  permission: 'account',
  summary: 'Reauthenticates the session for calls that are refused with proof_required; a login counts too',
  message: msg('Thank you'),
  body: z.object({
    password,
    /** Required if two-factor authentication is on. */
    code: z
      .string()
      .trim()
      .max(40, { error: () => t('That code is incorrect') })
      .optional(),
  }),
  data: nothing,
  refusals: ['second_factor_required', 'invalid_code', 'too_many_tries'],
})

export const listUsers = defineCall({
  id: 'auth.listUsers',
  method: 'GET',
  path: '/auth/users',
  permission: 'console',
  list: true,
  summary:
    "All users, newest first unless sorted; 'status' is a type (investor, admin), or frozen, closed or unverified; 'q' may be a user's id",
  message: msg('Users'),
  query: userTable,
  data: z.array(user.extend({ activeInvestments: z.int() })),
})

export const usersCsv = defineCall({
  id: 'auth.usersCsv',
  method: 'GET',
  path: '/auth/users.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Users as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list: every matching row',
  message: msg('Users as CSV'),
  query: userFile,
  data: fileContent,
})
