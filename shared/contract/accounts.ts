import { z } from 'zod'
import { phonePattern } from '#shared/account-rules.ts'
import { maximumPasswordLength, minimumPasswordLength, verificationCodeLength } from '#shared/limits.ts'
import { defineCall, fileContent, listQuery } from './define.ts'
import { earning, investment, totalAndList, user, withdrawal } from './entities.ts'
import { emailAddress, idParams, nothing, recordId, textLine, timestamp, usd } from './fields.ts'
import { userFile, userTable } from './tables.ts'

const password = z
  .string({ error: 'Password is required' })
  .min(1, 'Password is required')
  .max(maximumPasswordLength, `Password can have at most ${maximumPasswordLength} characters`)
const newPassword = password.min(
  minimumPasswordLength,
  'Password must be at least six characters long',
)

/** A random text that a browser keeps, by which it is known again: a login on a new device is told. */
const device = z
  .string()
  .regex(/^[\w-]{16,64}$/, 'Device is not valid')
  .optional()

const phone = textLine('Phone', 32).regex(phonePattern, 'Enter a valid phone number')

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
  name: textLine('Name', 120),
  email: emailAddress,
  phone,
  country: textLine('Country', 80),
})

export const signup = defineCall({
  id: 'auth.signup',
  method: 'POST',
  path: '/auth/signup',
  permission: 'public',
  summary: 'Opens an account and mails the verification code',
  message: 'Account created. Enter the code sent to your email',
  body: profileBody.extend({
    password: newPassword,
    /** Optional on the wire; where it is sent it must agree. */
    confirmPassword: z.string().max(maximumPasswordLength).optional(),
    /** Somebody's referral code. */
    referrer: z
      .string()
      .trim()
      .max(20, 'This referral code is not known')
      .regex(/^[^\p{Cc}]*$/u, 'This referral code is not known')
      .optional(),
    device,
  }),
  data: z.object({ token: tokenPair, user }),
  refusals: ['email_taken'],
})

export const login = defineCall({
  id: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  permission: 'public',
  summary:
    "Signs in; an account with a second factor needs 'code', too: of its authenticator app, or a recovery code",
  message: 'Login successfull',
  body: z.object({
    email: emailAddress,
    password,
    device,
    code: z.string().trim().max(40, 'The code is too long').optional(),
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
    "Verifies the e-mail address by the six-digit code; whose, says the token or the e-mail in the body. A pending address becomes the account's, in a session of the account",
  message: 'Email verified successfully',
  body: z.object({
    otp: z
      .string({ error: 'Email verification code is required' })
      .trim()
      .min(1, 'Email verification code is required')
      .regex(new RegExp(`^\\d{${verificationCodeLength}}$`), 'The code has six digits'),
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
  message: 'If this email belongs to an account that is not verified yet, a new code is on its way',
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
  summary: 'Changes a refresh token for a new pair; a reused one ends its session',
  message: 'Session renewed',
  body: z.object({ refreshToken: z.string({ error: 'Refresh token is required' }).min(1).max(500) }),
  data: z.object({ token: tokenPair }),
  refusals: ['token_invalid', 'token_expired'],
})

export const logout = defineCall({
  id: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  permission: 'account',
  summary: 'Ends the session: its refresh token and its access tokens are refused from now on',
  message: 'You are logged out',
  data: nothing,
})

export const forgotPassword = defineCall({
  id: 'auth.forgotPassword',
  method: 'POST',
  path: '/auth/password/forgot',
  permission: 'public',
  summary: 'Mails a link that sets a new password; answers the same whether or not the account exists',
  message: 'If this email belongs to an account, a link to set a new password is on its way',
  body: z.object({ email: emailAddress }),
  data: nothing,
})

export const resetPassword = defineCall({
  id: 'auth.resetPassword',
  method: 'POST',
  path: '/auth/password/reset',
  permission: 'public',
  summary: 'Sets a new password by a mailed link, once; ends every session',
  message: 'Password updated successfully',
  body: z.object({
    token: z.string({ error: 'The link is not complete' }).min(1, 'The link is not complete').max(200),
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
  message: 'Password updated successfully',
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
    'Updates the profile; another e-mail address needs a recent proof of identity, and is pending until its code is entered',
  message: 'Profile updated successfully',
  body: profileBody,
  data: z.object({ user }),
  refusals: ['email_taken', 'proof_required', 'forbidden'],
})

export const dropEmailChange = defineCall({
  id: 'auth.dropEmailChange',
  method: 'DELETE',
  path: '/auth/me/pending-email',
  permission: 'account',
  summary: 'Forgets the e-mail address that waits for its code; the account keeps the one that it has',
  message: 'Your email address stays as it is',
  data: z.object({ user }),
})

export const me = defineCall({
  id: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  permission: 'account',
  summary: "One's own user with balances",
  message: 'Your account',
  data: user,
})

export const echo = defineCall({
  id: 'auth.echo',
  method: 'GET',
  path: '/auth/echo',
  permission: 'account',
  summary: "One's own user with totals and lists; staff may ask for anybody's",
  message: 'Your account',
  query: z.object({ email: emailAddress }),
  data: overview,
  refusals: ['forbidden', 'not_found'],
})

export const summary = defineCall({
  id: 'auth.summary',
  method: 'GET',
  path: '/auth/summary',
  permission: 'account',
  summary: "The sums on one's own pages, each a query on the ledger or on the records it explains",
  message: 'Your figures',
  data: z.object({
    balance: usd,
    invested: usd,
    held: usd,
    /** `total`: what was approved, active or `closed` by now; `pending` ones are not in it. */
    investments: z.object({ total: usd, active: usd, closed: usd, pending: usd }),
    earnings: z.object({ total: usd }),
    /** `total` leaves declined ones out; `approved` counts approved and paid (D7); `times` is a number of requests. */
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
  /** The session that asks. */
  current: z.boolean(),
})

export const listSessions = defineCall({
  id: 'auth.listSessions',
  method: 'GET',
  path: '/auth/sessions',
  permission: 'account',
  list: true,
  summary: "Where one is logged in, the newest first; 'q' finds a device or an address of the network",
  message: 'Your sessions',
  query: listQuery.omit({ status: true }),
  data: z.array(session),
})

export const endSession = defineCall({
  id: 'auth.endSession',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  permission: 'account',
  summary: "Ends one of one's own sessions",
  message: 'Session ended',
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

export const endOtherSessions = defineCall({
  id: 'auth.endOtherSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  permission: 'account',
  summary: "Ends all of one's own sessions but the one that asks",
  message: 'Other sessions ended',
  data: z.object({ ended: z.int() }),
})

export const giveProof = defineCall({
  id: 'auth.giveProof',
  method: 'POST',
  path: '/auth/proof',
  permission: 'account',
  summary:
    'Proves once more who one is, for acts that are refused with proof_required; a login is such a proof, too',
  message: 'Thank you',
  body: z.object({
    password,
    /** Of the second factor, where one is on. */
    code: z.string().trim().max(40, 'This code is not right').optional(),
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
    "All users, the newest first unless sorted; 'status' is a type: investor or admin; 'q' may be a user's id",
  message: 'Users',
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
    'Users as CSV (RFC 4180, UTF-8 with a byte order mark), narrowed and sorted as the list: every row, however many',
  message: 'Users as CSV',
  query: userFile,
  data: fileContent,
})
