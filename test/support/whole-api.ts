import { createHash } from 'node:crypto'
import { sampleFirm } from '#server/demo/firm.ts'
import { newId } from '#server/platform/id.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { listOwnAddresses } from '#shared/contract/addresses.ts'
import { newConversation } from '#shared/contract/conversations.ts'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { listStatistics, newStatistic } from '#shared/contract/firm.ts'
import { newGoal } from '#shared/contract/goals.ts'
import { getCheck } from '#shared/contract/identity.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { addPushDevice } from '#shared/contract/push.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listContactMessages, newContactMessage } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { dayAfter } from '#shared/moments.ts'
import { fundsAnswers, identityAnswers, proofsIn } from './identity.ts'
import { pushSubscription } from './push-service.ts'
import { settingsBody } from './settings.ts'
import type { Person, World } from './world.ts'

export type Sample = { params?: Record<string, string>; query?: Record<string, string>; body?: object }

export const samplePassword = 'correct horse battery'
const bitcoinAddress = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const otherBitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** An investor with a record of every kind, and their names. */
export type Owner = Person & {
  deposit: string
  /** One that is pending, and one that is active. */
  investment: string
  invested: string
  withdrawal: string
  earning: string
  session: string
  plan: string
  notification: string
  address: string
  goal: string
  device: string
  passkey: string
  /** A recorded return with an evidence file that has paid nobody. */
  proof: string
  /** A figure of the site, and a contact message, which belong to no investor. */
  statistic: string
  message: string
  /** A match of their name with one that was on a sanctions list. */
  match: string
  /** A case of their movements. */
  case: string
  /** A proof of identity that waits, and a file of it. */
  check: string
  document: string
  /** A conversation of theirs with the firm, and a file in it. */
  conversation: string
  file: string
  /** A posting on one of their accounts. */
  entry: string
}

/** An investor who has something of everything: money, requests in every queue, an earning, a session. */
export async function investorWithEverything(world: World, name: string): Promise<Owner> {
  const { admin, call, services } = world
  const person = await world.person(name)
  await world.fund(person, 10_000_000n)
  const made = async <C extends CallDefinition>(call_: C, by: Person, input: Partial<CallInput<C>>) => {
    const { status, message, data } = await call(call_, by, input)
    if (status !== 200) throw new Error(`${call_.id}: ${message}`)
    return data as { _id: string }
  }
  const invest = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const active = await made(newInvestment, person, { body: invest })
  await made(approveInvestment, admin, { params: { id: active._id } })
  const realised = {
    amount: 5000,
    source: 'Rent',
    realisedAt: '2026-01-31',
    evidence: 'https://example.com/rent',
  }
  await made(newReturn, admin, { body: realised })
  const earning = await world.earn(person, 1_000n)
  const investment = await made(newInvestment, person, { body: invest })
  const deposit = await made(newDeposit, person, { body: { method: 'usdt', amount: 150 } })
  const withdrawal = await made(newWithdrawal, person, {
    body: { amount: 250, wallet: 'Bitcoin (BTC)', address: bitcoinAddress },
  })
  const { data: plans } = await call(listPlans, null)
  const { data: notifications } = await call(listNotifications, person)
  const { data: saved } = await call(newGoal, person, {
    body: { name: `Goal of ${person.name}`, amount: 5_000_000, day: null },
  })
  const { data: pushed } = await call(addPushDevice, person, { body: pushSubscription() })
  const { data: addresses } = await call(listOwnAddresses, person)
  const session = await openSession(world, person)
  const passwordHash = await hashPassword(samplePassword)
  await services.db
    .updateTable('app.users')
    .set({ password_hash: passwordHash })
    .where('id', '=', person.id)
    .execute()
  return {
    ...person,
    deposit: deposit._id,
    investment: investment._id,
    invested: active._id,
    withdrawal: withdrawal._id,
    earning,
    session,
    plan: plans[0]!._id,
    notification: notifications[0]!._id,
    address: addresses[0]!._id,
    goal: saved.goals[0]!._id,
    device: pushed.devices[0]!._id,
    passkey: await addPasskey(world, person),
    proof: await addProof(world),
    statistic: await firstStatistic(world),
    message: await writeMessage(world, person),
    match: await addMatch(world, person),
    case: await addCase(world, person),
    ...(await sendProof(world, person)),
    ...(await beginConversation(world, person)),
    entry: (await call(statement, person, { query: { limit: 1 } })).data[0]!._id,
  }
}

async function openSession({ services }: World, { id: userId }: Person): Promise<string> {
  const id = newId(services.clock.now())
  await services.db
    .insertInto('app.sessions')
    .values({
      id,
      user_id: userId,
      refresh_hash: Buffer.from(id),
      expires_at: new Date(services.clock.now().getTime() + 86_400_000),
    })
    .execute()
  return id
}

const reserveAddress = `0x${'12'.repeat(20)}`

async function addProof({ services, admin, call }: World): Promise<string> {
  const id = newId(services.clock.now())
  const content = Buffer.from('not read')
  const at = services.clock.now()
  const file = { id, name: 'sale.pdf', type: 'application/pdf' as const, content, created_at: at }
  const sha256 = createHash('sha256').update(content).digest()
  await services.db
    .insertInto('app.evidence_files')
    .values({ ...file, sha256, uploaded_by: admin.id })
    .execute()
  const { data } = await call(newReturn, admin, {
    body: { amount: 1, source: 'Sale', realisedAt: '2026-04-30', evidenceFile: id },
  })
  return data._id
}

async function firstStatistic({ admin, call }: World): Promise<string> {
  const { data: known } = await call(listStatistics, admin)
  if (known.written[0]) return known.written[0]._id
  const { data } = await call(newStatistic, admin, { body: { ...figure, reason: 'The first one' } })
  return data._id
}

async function writeMessage({ admin, call }: World, { name, email }: Person): Promise<string> {
  await call(newContactMessage, null, { body: { name, email, subject: 'A question', message: 'How so?' } })
  const { data } = await call(listContactMessages, admin, { query: { q: email } })
  return data[0]!._id
}

/** The person's own name was on a list, so that the match stops no withdrawal: what an import and the next one do. */
async function addMatch({ services, ownerPool }: World, { id: userId, name }: Person): Promise<string> {
  const id = newId(services.clock.now())
  const imported = `
    INSERT INTO app.list_imports (list, published_on, sha256, entries, wallets, imported_at)
    VALUES ('ofac_sdn', '2026-11-20', sha256('${id}'), 1, 0, now());`
  const newest = '(SELECT max(id) FROM app.list_imports)'
  await ownerPool.query(`${imported}
    INSERT INTO app.list_entries (list, entry, kind, names, weak, births, countries, programmes, added_by)
    VALUES ('ofac_sdn', '${id}', 'person', ARRAY['${name}'], '{}', '{}', '{}', '{}', ${newest});
    INSERT INTO app.name_matches (id, user_id, user_name, list, entry, listed_name, score, found_by, found_at)
    VALUES ('${id}', '${userId}', '${name}', 'ofac_sdn', '${id}', '${name}', 100, ${newest}, now())`)
  await ownerPool.query(`${imported}
    UPDATE app.list_entries SET removed_by = ${newest} WHERE entry = '${id}';
    UPDATE app.name_screenings SET through = ${newest}, pep_through = ${newest}`)
  return id
}

/** What the worker does once their movements meet a rule. */
async function addCase({ services, ownerPool }: World, { id: userId }: Person): Promise<string> {
  const id = newId(services.clock.now())
  await ownerPool.query(`
    INSERT INTO app.monitoring_cases (id, user_id, rule, kind, cents, movements, first_at, last_at, limit_cents, found_at)
    VALUES ('${id}', '${userId}', 'turnover', 'deposit', 5000000, 1, now(), now(), 5000000, now())`)
  return id
}

async function sendProof(world: World, person: Person) {
  const { data } = await proofsIn(() => world).send(person, { name: person.name })
  const { files } = (await world.call(getCheck, world.admin, { params: { id: data._id } })).data
  return { check: data._id, document: files[0]!._id }
}

async function beginConversation({ services, call }: World, person: Person) {
  const file = newId(services.clock.now())
  const content = Buffer.from('not read')
  const sha256 = createHash('sha256').update(content).digest()
  const at = services.clock.now()
  const stored = { id: file, name: 'receipt.pdf', type: 'application/pdf' as const, content, sha256 }
  await services.db
    .insertInto('app.contact_files')
    .values({ ...stored, uploaded_by: person.id, created_at: at })
    .execute()
  const body = { subject: 'A question', text: 'How so?', files: [file] }
  const { data } = await call(newConversation, person, { body })
  return { conversation: data._id, file }
}

async function addPasskey({ services }: World, { id: userId }: Person): Promise<string> {
  const id = newId(services.clock.now())
  await services.db
    .insertInto('app.passkeys')
    .values({
      id,
      user_id: userId,
      credential_id: Buffer.from(id),
      public_key: Buffer.from('not used'),
      counter: 0n,
      transports: [],
      name: 'Laptop',
      created_at: services.clock.now(),
      last_used_at: null,
      refused_at: null,
    })
    .execute()
  return id
}

/** For every call of the contract, a valid input that names this owner's records. */
export const samples: Record<string, (owner: Owner) => Sample> = {
  'auth.signup': ({ email }) => ({ body: { ...profile, email: `new.${email}`, password: samplePassword } }),
  'auth.login': ({ email }) => ({ body: { email, password: samplePassword } }),
  'auth.secondFactor': () => ({}),
  'auth.beginSecondFactor': () => ({}),
  'auth.confirmSecondFactor': () => ({ body: { code: '123456' } }),
  'auth.endSecondFactor': () => ({ body: { code: '123456' } }),
  'auth.renewRecoveryCodes': () => ({ body: { code: '123456' } }),
  'auth.passkeys': () => ({}),
  'auth.beginPasskey': () => ({}),
  'auth.addPasskey': () => ({
    body: {
      name: 'Laptop',
      response: { ...passkeyAnswer, response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
    },
  }),
  'auth.removePasskey': ({ passkey }) => ({ params: { id: passkey } }),
  'auth.beginPasskeyLogin': () => ({}),
  'auth.loginByPasskey': () => ({ body: { response: passkeyAssertion } }),
  'auth.beginPasskeyProof': () => ({}),
  'auth.proveByPasskey': () => ({ body: { response: passkeyAssertion } }),
  'auth.verifyEmail': ({ email }) => ({ body: { otp: '123456', email } }),
  'auth.requestVerification': ({ email }) => ({ query: { email }, body: { email } }),
  'auth.refresh': ({ session }) => ({ body: { refreshToken: `${session}.secret` } }),
  'auth.logout': () => ({}),
  'auth.forgotPassword': ({ email }) => ({ body: { email } }),
  'auth.resetPassword': () => ({ body: { token: 'token', password: samplePassword } }),
  'auth.changePassword': () => ({
    body: { oldPassword: samplePassword, newPassword: 'another horse battery' },
  }),
  'auth.updateProfile': ({ email }) => ({ body: { ...profile, email } }),
  'auth.chooseLanguage': () => ({ body: { language: 'en' } }),
  'auth.me': () => ({}),
  'auth.echo': ({ email }) => ({ query: { email } }),
  'auth.summary': () => ({}),
  'auth.listSessions': () => ({ query: {} }),
  'auth.endSession': ({ session }) => ({ params: { id: session } }),
  'auth.endOtherSessions': () => ({}),
  'auth.giveProof': () => ({ body: { password: samplePassword } }),
  'auth.dropEmailChange': () => ({}),
  'auth.listUsers': ({ name }) => ({ query: { q: name } }),
  'auth.usersCsv': ({ name }) => ({ query: { q: name } }),
  'deposit.quote': () => ({ query: { method: 'usdt', amount: '150' } }),
  'deposit.new': () => ({ body: { method: 'usdt', amount: 150 } }),
  'deposit.weigh': ({ deposit }) => ({ params: { id: deposit }, query: { received: '149.5' } }),
  'deposit.lookAt': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.approve': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.credit': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.creditOwn': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.cancel': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.decline': ({ deposit }) => ({ params: { id: deposit }, body: { reason: 'Not received' } }),
  'demo.pay': ({ deposit }) => ({ params: { id: deposit }, body: { part: 'half' } }),
  'deposit.approveMany': ({ deposit }) => ({ body: { records: [{ id: deposit }] } }),
  'deposit.creditMany': ({ deposit }) => ({ body: { records: [{ id: deposit }] } }),
  'deposit.declineMany': ({ deposit }) => ({ body: { reason: 'Not received', records: [{ id: deposit }] } }),
  'deposit.getOne': ({ deposit }) => ({ params: { id: deposit } }),
  'deposit.listOwn': () => ({ query: {} }),
  'deposit.list': ({ name }) => ({ query: { q: name } }),
  'deposit.csv': ({ name }) => ({ query: { q: name } }),
  'auth.listReferred': () => ({ query: {} }),
  'archive.download': () => ({ query: {} }),
  'closing.matters': () => ({}),
  'closing.close': () => ({ body: { password: samplePassword } }),
  'investment.new': () => ({ body: { method: 'balance', plan: 'Basic', amount: 500 } }),
  'investment.approve': ({ investment }) => ({ params: { id: investment } }),
  'investment.close': ({ investment }) => ({ params: { id: investment } }),
  'investment.cancel': ({ investment }) => ({ params: { id: investment } }),
  'investment.reinvest': ({ invested }) => ({ params: { id: invested }, body: { reinvest: true } }),
  'investment.decline': ({ investment }) => ({ params: { id: investment }, body: { reason: 'Not wanted' } }),
  'investment.listOwn': () => ({ query: {} }),
  'investment.list': ({ name }) => ({ query: { q: name } }),
  'investment.csv': ({ name }) => ({ query: { q: name } }),
  'investment.approveMany': ({ investment }) => ({ body: { records: [{ id: investment }] } }),
  'investment.closeMany': ({ investment }) => ({
    body: { reason: 'Closed early', records: [{ id: investment }] },
  }),
  'investment.declineMany': ({ investment }) => ({ body: { reason: 'No', records: [{ id: investment }] } }),
  'investment.getOne': ({ investment }) => ({ params: { id: investment } }),
  'investment.letter': ({ invested }) => ({ params: { id: invested } }),
  'withdrawal.new': () => ({ body: { amount: 100, wallet: 'Bitcoin (BTC)', address: bitcoinAddress } }),
  'withdrawal.estimate': () => ({ query: { wallet: 'Bitcoin (BTC)', amount: '100' } }),
  'withdrawal.times': () => ({}),
  'withdrawal.approve': ({ withdrawal }) => ({ params: { id: withdrawal } }),
  'withdrawal.cancel': ({ withdrawal }) => ({ params: { id: withdrawal } }),
  'withdrawal.decline': ({ withdrawal }) => ({ params: { id: withdrawal }, body: { reason: 'No' } }),
  'withdrawal.paid': ({ withdrawal }) => ({
    params: { id: withdrawal },
    body: { transactionId: 'f00d'.repeat(16) },
  }),
  'withdrawal.approveMany': ({ withdrawal }) => ({ body: { records: [{ id: withdrawal }] } }),
  'withdrawal.declineMany': ({ withdrawal }) => ({ body: { reason: 'No', records: [{ id: withdrawal }] } }),
  'withdrawal.paidMany': ({ withdrawal }) => ({
    body: { records: [{ id: withdrawal, transactionId: 'f00d'.repeat(16) }] },
  }),
  'withdrawal.getOne': ({ withdrawal }) => ({ params: { id: withdrawal } }),
  'withdrawal.listOwn': () => ({ query: {} }),
  'withdrawal.list': ({ name }) => ({ query: { q: name } }),
  'withdrawal.csv': ({ name }) => ({ query: { q: name } }),
  'screening.list': ({ name }) => ({ query: { q: name } }),
  'screening.csv': ({ name }) => ({ query: { q: name } }),
  'screening.getOne': ({ match }) => ({ params: { id: match } }),
  'screening.decide': ({ match }) => ({
    params: { id: match },
    body: { decision: 'different', reason: 'Born in another year' },
  }),
  'screening.compareBirths': ({ match }) => ({ params: { id: match } }),
  'screening.lists': () => ({}),
  'case.list': ({ name }) => ({ query: { q: name } }),
  'case.csv': ({ name }) => ({ query: { q: name } }),
  'case.getOne': ({ case: id }) => ({ params: { id } }),
  'case.report': ({ case: id }) => ({ params: { id } }),
  'case.decide': ({ case: id }) => ({
    params: { id },
    body: { decision: 'explained', newest: id, reason: 'Sold a house' },
  }),
  'identity.own': () => ({}),
  'identity.returned': () => ({ query: { kind: 'identity' } }),
  // Without a file: uploads have their own test.
  'identity.upload': () => ({ query: { kind: 'front' } }),
  'identity.removeFile': ({ document }) => ({ params: { id: document } }),
  'identity.send': () => ({ body: identityAnswers }),
  'identity.startSession': () => ({}),
  'identity.cancelSession': () => ({}),
  'identity.sendFunds': () => ({ body: fundsAnswers }),
  'identity.cancel': ({ check }) => ({ params: { id: check } }),
  'identity.list': ({ name }) => ({ query: { q: name } }),
  'identity.csv': ({ name }) => ({ query: { q: name } }),
  'identity.getOne': ({ check }) => ({ params: { id: check } }),
  'identity.open': ({ check }) => ({ params: { id: check } }),
  'identity.file': ({ document }) => ({ params: { id: document } }),
  'identity.decide': ({ check }) => ({
    params: { id: check },
    body: { decision: 'returned', reason: 'Blurred' },
  }),
  'payout.list': () => ({ query: {} }),
  'payout.getOne': ({ deposit }) => ({ params: { id: deposit } }),
  'payout.ready': () => ({ query: { wallet: 'Bitcoin (BTC)' } }),
  'payout.preview': ({ withdrawal }) => ({
    query: { wallet: 'Bitcoin (BTC)', withdrawals: withdrawal, feeRate: '5' },
  }),
  'payout.new': ({ withdrawal }) => ({
    body: { wallet: 'Bitcoin (BTC)', withdrawals: [withdrawal], feeRate: 5 },
  }),
  'payout.file': ({ deposit }) => ({ params: { id: deposit } }),
  'payout.sign': ({ deposit }) => ({ params: { id: deposit }, body: { signed: '0x02' } }),
  'payout.raiseFee': ({ deposit }) => ({ params: { id: deposit }, body: {} }),
  'sweep.holdings': () => ({}),
  'sweep.read': () => ({ body: { wallet: 'Ethereum (ETH)' } }),
  'sweep.preview': () => ({ query: { wallet: 'Ethereum (ETH)' } }),
  'sweep.new': () => ({ body: { wallet: 'Ethereum (ETH)' } }),
  'payout.outgoing': () => ({}),
  'payout.explain': () => ({ body: { rail: 'ethereum', transactionId: '0x01', reason: 'Moved' } }),
  'payout.confirm': () => ({
    body: { rail: 'ethereum', transactionId: '0x01', explainedAt: '2026-11-21T10:00:00.000Z' },
  }),
  'payout.acknowledge': ({ deposit }) => ({
    params: { id: deposit },
    body: { reason: 'Asked the holder', transactions: ['f00d'.repeat(16)] },
  }),
  'payout.cancel': ({ deposit }) => ({
    params: { id: deposit },
    body: { reason: 'The device is lost' },
  }),
  'address.new': () => ({ body: { wallet: 'Bitcoin (BTC)', address: otherBitcoinAddress, label: 'Cold' } }),
  'address.listOwn': () => ({ query: {} }),
  'address.rename': ({ address }) => ({ params: { id: address }, body: { label: 'Savings' } }),
  'address.remove': ({ address }) => ({ params: { id: address } }),
  'earning.add': ({ id }) => ({ params: { userId: id }, body: { amount: 1 } }),
  'earning.previewPlan': ({ plan }) => ({ params: { id: plan } }),
  'earning.listPlanShares': ({ plan }) => ({ query: { plan } }),
  'earning.addPlan': ({ plan }) => ({
    params: { id: plan },
    body: { asOf: new Date().toISOString(), digest: '0'.repeat(64) },
  }),
  'earning.planRun': ({ plan }) => ({ params: { id: plan } }),
  'earning.cancelPlanRun': ({ plan }) => ({ params: { id: plan } }),
  'earning.approve': ({ investment }) => ({ params: { id: investment } }),
  'earning.decline': ({ investment }) => ({ params: { id: investment }, body: { reason: 'Not yet' } }),
  'earning.approveMany': ({ earning }) => ({ body: { records: [{ id: earning }] } }),
  'earning.declineMany': ({ earning }) => ({ body: { reason: 'No', records: [{ id: earning }] } }),
  'earning.getOne': ({ earning }) => ({ params: { id: earning } }),
  'earning.listOwn': () => ({ query: {} }),
  'earning.list': ({ name }) => ({ query: { q: name } }),
  'earning.csv': ({ name }) => ({ query: { q: name } }),
  'return.new': () => ({
    body: { amount: 100, source: 'Rent', realisedAt: '2026-02-28', evidence: 'https://example.com/rent' },
  }),
  // Without a file: uploads have their own test.
  'return.approve': ({ proof }) => ({ params: { id: proof } }),
  'return.decline': ({ proof }) => ({ params: { id: proof }, body: { reason: 'Entered twice' } }),
  'return.proposeVoid': ({ proof }) => ({ params: { id: proof }, body: { reason: 'Never paid' } }),
  'return.void': ({ proof }) => ({ params: { id: proof } }),
  'return.rejectVoid': ({ proof }) => ({ params: { id: proof }, body: { reason: 'It was paid' } }),
  'return.uploadEvidence': () => ({ query: { name: 'rent.pdf' } }),
  'return.evidence': ({ proof }) => ({ params: { id: proof } }),
  'return.list': () => ({ query: {} }),
  'return.csv': () => ({ query: {} }),
  'return.summary': () => ({}),
  'return.getOne': ({ deposit }) => ({ params: { id: deposit } }),
  'return.payments': ({ deposit }) => ({ query: { returnId: deposit } }),
  'console.summary': () => ({}),
  'filter.list': () => ({ query: { list: 'deposits' } }),
  'filter.save': () => ({ body: { list: 'deposits', name: 'To do', values: { status: 'pending' } } }),
  'filter.remove': ({ deposit }) => ({ params: { id: deposit } }),
  'search.find': ({ name }) => ({ query: { q: name } }),
  'console.chains': () => ({}),
  'console.cashFlow': () => ({}),
  'console.cashFlowCsv': () => ({}),
  'console.journal': () => ({}),
  'console.journalFile': () => ({ query: { format: 'hledger' } }),
  'console.user': ({ id }) => ({ params: { id } }),
  'console.userDeposits': ({ id }) => ({ query: { user: id } }),
  'console.userInvestments': ({ id }) => ({ query: { user: id } }),
  'console.userWithdrawals': ({ id }) => ({ query: { user: id } }),
  'console.userEarnings': ({ id }) => ({ query: { user: id } }),
  'console.userAddresses': ({ id }) => ({ query: { user: id } }),
  'console.userReferrals': ({ id }) => ({ query: { user: id } }),
  'console.userSessions': ({ id }) => ({ query: { user: id } }),
  'console.userNotes': ({ id }) => ({ query: { user: id } }),
  'console.userHistory': ({ id }) => ({ query: { user: id } }),
  'console.addNote': ({ id }) => ({ params: { id }, body: { note: 'Called about their address' } }),
  'console.freeze': ({ id }) => ({ params: { id }, body: { reason: 'Asked for by the owner' } }),
  'console.reopen': ({ id }) => ({ params: { id }, body: { reason: 'They asked' } }),
  'console.unfreeze': ({ id }) => ({ params: { id }, body: { reason: 'Identity checked' } }),
  'console.eraseProofSecret': ({ id, email }) => ({
    params: { id },
    body: { reason: 'Asked for by the owner', email },
  }),
  'console.endSession': ({ id, session }) => ({ params: { id, session } }),
  'console.endSessions': ({ id }) => ({ params: { id } }),
  'console.postings': ({ deposit }) => ({ params: { id: deposit } }),
  'proof.receipt': ({ entry }) => ({ params: { id: entry } }),
  'ledger.statement': ({ id }) => ({ query: { userId: id } }),
  'ledger.summary': ({ id }) => ({ query: { userId: id } }),
  'ledger.balances': ({ id }) => ({ query: { userId: id } }),
  'ledger.earnings': ({ id }) => ({ query: { userId: id } }),
  'ledger.allocation': ({ id }) => ({ query: { userId: id } }),
  'ledger.statementCsv': ({ id }) => ({ query: { userId: id } }),
  'ledger.statementPdf': ({ id }) => ({ query: { userId: id } }),
  'ledger.yearCsv': ({ id }) => ({ query: { userId: id, year: '2026' } }),
  'ledger.yearPdf': ({ id }) => ({ query: { userId: id, year: '2026' } }),
  'notification.listOwn': () => ({ query: {} }),
  'notification.unread': () => ({}),
  'notification.read': ({ notification }) => ({ params: { id: notification } }),
  'notification.readAll': ({ notification }) => ({ body: { until: notification } }),
  'notification.letters': () => ({}),
  'notification.chooseLetters': () => ({ body: { muted: ['deposit.approved'] } }),
  'plan.list': () => ({}),
  'plan.update': ({ plan }) => ({ params: { id: plan }, body: planTerms }),
  'plan.catalogue': () => ({}),
  'plan.versions': ({ plan }) => ({ params: { id: plan }, query: {} }),
  'plan.new': () => ({ body: { ...planTerms, name: 'Steady', reason: 'Asked for' } }),
  'plan.retire': ({ plan }) => ({ params: { id: plan }, body: { reason: 'Not offered any more' } }),
  'plan.restore': ({ plan }) => ({ params: { id: plan }, body: { reason: 'Offered again' } }),
  'plan.order': ({ plan }) => ({ body: { ids: [plan] } }),
  'firm.versions': () => ({ query: {} }),
  'firm.update': () => ({
    body: { ...sampleFirm, legalName: 'Another (fictional)', version: 1, reason: 'Renamed' },
  }),
  'firm.translate': () => ({
    body: { language: 'de' as const, texts: { heading: 'Guten Tag' }, version: 2, reason: 'In German' },
  }),
  'statistic.list': () => ({}),
  'statistic.versions': ({ statistic }) => ({ params: { id: statistic }, query: {} }),
  'statistic.new': () => ({ body: { ...figure, reason: 'For the annual report' } }),
  'statistic.update': ({ statistic }) => ({
    params: { id: statistic },
    body: { ...figure, value: '213', version: 1, reason: 'A newer report' },
  }),
  'statistic.retire': ({ statistic }) => ({ params: { id: statistic }, body: { reason: 'Out of date' } }),
  'statistic.restore': ({ statistic }) => ({ params: { id: statistic }, body: { reason: 'Good again' } }),
  'statistic.order': ({ statistic }) => ({ body: { ids: [statistic] } }),
  'proof.overview': () => ({}),
  'reserve.list': () => ({}),
  'reserve.prepare': () => ({
    body: { addresses: [{ rail: 'ethereum' as const, address: reserveAddress }] },
  }),
  'reserve.sign': ({ proof }) => ({
    params: { id: proof },
    body: { address: reserveAddress, signature: '0x00' },
  }),
  'reserve.publish': ({ proof }) => ({ params: { id: proof } }),
  'reserve.stateAsset': () => ({
    body: {
      title: 'Office',
      amount: 1500,
      asOf: '2026-01-31',
      sha256: 'ab'.repeat(32),
      source: 'Land register',
    },
  }),
  'reserve.confirmAsset': ({ proof }) => ({ params: { id: proof } }),
  'reserve.withdrawAsset': ({ proof }) => ({ params: { id: proof } }),
  'proof.own': () => ({ query: {} }),
  'proof.opening': () => ({}),
  'proof.status': () => ({}),
  'site.get': () => ({}),
  'site.health': () => ({}),
  'site.ready': () => ({}),
  'price.getAll': () => ({}),
  'price.sources': () => ({}),
  'contact.new': ({ name, email }) => ({ body: { name, email, subject: 'Hello', message: 'Good day' } }),
  'contact.list': () => ({ query: {} }),
  'contact.csv': () => ({ query: {} }),
  'contact.getOne': ({ message }) => ({ params: { id: message } }),
  'contact.reply': ({ message }) => ({ params: { id: message }, body: { text: 'Thank you.' } }),
  'contact.answered': ({ message }) => ({ params: { id: message }, body: { note: 'By telephone' } }),
  'answer.list': () => ({}),
  'answer.new': () => ({ body: { title: 'Thanks', text: 'Thank you, {first name}.' } }),
  'answer.change': ({ id }) => ({
    params: { id },
    body: { title: 'Thanks', text: 'Thank you.', version: 1 },
  }),
  'answer.delete': ({ id }) => ({ params: { id }, body: { version: 1 } }),
  'announcement.new': () => ({
    body: {
      title: 'Maintenance',
      text: 'On Sunday.',
      from: dayAfter(new Date(), 100),
      until: dayAfter(new Date(), 100),
    },
  }),
  'announcement.withdraw': ({ statistic }) => ({ params: { id: statistic }, body: { reason: 'Wrong' } }),
  'announcement.list': () => ({ query: {} }),
  'announcement.listOwn': () => ({ query: {} }),
  'announcement.read': ({ statistic }) => ({ body: { id: statistic } }),
  'policy.get': () => ({ params: { kind: 'privacy' }, query: {} }),
  'policy.list': () => ({ query: {} }),
  'policy.propose': () => ({
    body: {
      kind: 'risk',
      text: 'You can lose money.',
      changes: null,
      from: dayAfter(new Date(), 100),
      version: 0,
      reason: 'Our lawyer wrote it',
    },
  }),
  'policy.translate': () => ({
    body: {
      kind: 'privacy',
      version: 1,
      translations: { de: { text: 'Wir fragen wenig.', changes: null, replaces: null } },
      reason: 'For our German investors',
    },
  }),
  'policy.ownTerms': () => ({}),
  'policy.accept': () => ({ body: { version: 1 } }),
  'notification.devices': () => ({}),
  'notification.addDevice': () => ({ body: pushSubscription() }),
  'notification.removeDevice': ({ device }) => ({ params: { id: device } }),
  'goal.own': () => ({}),
  'goal.new': () => ({ body: { name: 'House', amount: 5_000_000, day: null } }),
  'goal.remove': ({ goal }) => ({ params: { id: goal } }),
  'goal.endingAlert': () => ({ body: { days: 7 } }),
  'alert.choices': () => ({}),
  'alert.choose': () => ({
    body: { choices: [{ kind: 'deposit.waiting', bell: true, email: false, onlyAssigned: false }] },
  }),
  'contact.close': ({ message }) => ({ params: { id: message }, body: { reason: 'Done' } }),
  'contact.comment': ({ message }) => ({ params: { id: message }, body: { text: 'Called twice' } }),
  'contact.assign': ({ message }) => ({ params: { id: message }, body: { to: null } }),
  'contact.team': () => ({}),
  'message.new': ({ deposit }) => ({
    body: { subject: 'Hello', text: 'Good day', about: { kind: 'deposit', id: deposit } },
  }),
  'message.listOwn': () => ({ query: {} }),
  'message.getOne': ({ conversation }) => ({ params: { id: conversation } }),
  'message.write': ({ conversation }) => ({ params: { id: conversation }, body: { text: 'And so?' } }),
  'message.read': ({ conversation }) => ({ params: { id: conversation } }),
  'message.upload': () => ({ query: { name: 'receipt.pdf' } }),
  'message.file': ({ file }) => ({ params: { id: file } }),
  'contact.reopen': ({ message }) => ({ params: { id: message }, body: { reason: 'Asked again' } }),
  'audit.list': ({ name }) => ({ query: { q: name } }),
  'audit.csv': ({ name }) => ({ query: { q: name } }),
  'staff.list': () => ({ query: {} }),
  'staff.invitations': () => ({ query: {} }),
  'staff.invite': ({ name, email }) => ({ body: { name, email, role: 'support', reason: 'Needed' } }),
  'staff.withdrawInvitation': ({ id }) => ({ params: { id }, body: { reason: 'Not needed' } }),
  'staff.accept': () => ({ body: { token: 'token', password: samplePassword } }),
  'staff.changeRole': ({ id }) => ({ params: { id }, body: { role: 'auditor', reason: 'Asked for' } }),
  'staff.endAccess': ({ id }) => ({ params: { id }, body: { reason: 'Left' } }),
  'staff.resetSecondFactors': ({ email }) => ({ body: { email, reason: 'Lost the phone' } }),
  'proposal.list': () => ({ query: {} }),
  'proposal.waiting': () => ({}),
  'proposal.approve': ({ id }) => ({ params: { id } }),
  'proposal.reject': ({ id }) => ({ params: { id }, body: { reason: 'Not now' } }),
  'proposal.withdraw': ({ id }) => ({ params: { id } }),
  'apiKey.propose': () => ({
    body: {
      name: 'Accounting',
      rights: ['console'],
      addresses: ['203.0.113.7'],
      until: dayAfter(new Date(), 30),
      reason: 'For accounting',
    },
  }),
  'apiKey.list': () => ({ query: {} }),
  'apiKey.create': ({ id }) => ({ params: { id } }),
  'apiKey.revoke': ({ id }) => ({ params: { id }, body: { reason: 'Leaked' } }),
  'brand.get': () => ({}),
  'brand.propose': () => ({
    body: { accent: { light: '#17653a', dark: '#82cda0' }, logo: null, reason: 'Our colours' },
  }),
  'brand.uploadLogo': () => ({ query: {} }),
  'brand.logo': () => ({ params: { file: '0'.repeat(64) } }),
  'webhook.propose': () => ({
    body: {
      name: 'Accounting',
      url: 'https://example.com/webhooks',
      events: ['deposit.approved'],
      reason: 'For accounting',
    },
  }),
  'webhook.list': () => ({ query: {} }),
  'webhook.createSecret': ({ id }) => ({ params: { id } }),
  'webhook.test': ({ id }) => ({ params: { id } }),
  'webhook.stop': ({ id }) => ({ params: { id }, body: { reason: 'It is moved' } }),
  'webhook.resume': ({ id }) => ({ params: { id } }),
  'webhook.remove': ({ id }) => ({ params: { id }, body: { reason: 'Replaced' } }),
  'webhook.deliveries': ({ id }) => ({ query: { webhook: id } }),
  'webhook.redeliver': ({ id }) => ({ params: { id } }),
  'setting.get': () => ({}),
  'setting.propose': () => ({ body: settingsBody }),
  'demo.mailbox': ({ email }) => ({ query: { to: email } }),
}

const planTerms = {
  name: 'Beginner',
  percentage: 4,
  minimum: 500,
  maximum: 1999,
  duration: '30 days',
  durationDays: 30,
  note: null,
}

const figure = {
  label: 'Advisers',
  value: '212',
  source: 'Annual report 2025',
  evidence: 'https://example.com/report-2025.pdf',
  asOf: '2025-12-31',
}

const passkeyAnswer = { id: 'AA', rawId: 'AA', type: 'public-key', clientExtensionResults: {} }
const passkeyAssertion = {
  ...passkeyAnswer,
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
}

const profile = { name: 'Somebody Else', phone: '+61 400 111 222', country: 'Australia' }

/** Every row of the ledger and the application, except counters: a refused request must not change it. */
export async function everything({ database }: World): Promise<string[]> {
  const { rows: tables } = await database.owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('app', 'ledger') AND tablename NOT IN ('rate_limits', 'migrations') ORDER BY 1`,
  )
  const names = [...tables.map(({ name }) => name), 'graphile_worker._private_jobs']
  const all = names.map(name => `SELECT '${name} ' || t::text AS line FROM ${name} t`).join(' UNION ALL ')
  // Named, it is planned once: planning takes as long as running.
  const { rows } = await database.owner.query<{ line: string }>({
    name: 'everything',
    text: `${all} ORDER BY 1`,
  })
  return rows.map(({ line }) => line)
}
