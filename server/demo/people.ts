import { newReferralCode } from '#server/accounts/signup.ts'
import type { Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import type { UserType } from '#shared/contract/entities.ts'
import type { Role } from '#shared/roles.ts'
import { sampleLogins } from './logins.ts'

/** A person of the sample. */
export type Person = { id: string; type: UserType; role: Role | null; name: string; email: string }

type Description = {
  key: string
  /** Staff only. */
  role?: Role
  name: string
  email: string
  country: string
  phone: string
  /** How many days ago the account was opened. */
  since: number
  /** The owner of the referral code. */
  referrer?: string
}

/** Fictional people with reserved domains (RFC 2606). */
export const descriptions = [
  {
    key: 'admin',
    role: 'admin',
    name: 'Margaret Osei',
    email: sampleLogins[0].email,
    country: 'Australia',
    phone: '+61 2 5550 0101',
    since: 386,
  },
  {
    key: 'admin2',
    role: 'admin',
    name: 'Daniel Whitlock',
    email: sampleLogins[1].email,
    country: 'Australia',
    phone: '+61 2 5550 0102',
    since: 386,
  },
  {
    key: 'finance',
    role: 'finance',
    name: 'Ruth Calder',
    email: sampleLogins[3].email,
    country: 'Australia',
    phone: '+61 2 5550 0103',
    since: 384,
  },
  {
    key: 'support',
    role: 'support',
    name: 'Samir Haddad',
    email: sampleLogins[4].email,
    country: 'Australia',
    phone: '+61 2 5550 0104',
    since: 383,
  },
  {
    key: 'auditor',
    role: 'auditor',
    name: 'Ingrid Moen',
    email: sampleLogins[5].email,
    country: 'Australia',
    phone: '+61 2 5550 0105',
    since: 382,
  },
  {
    key: 'investor',
    name: 'Eleanor Vance',
    email: sampleLogins[2].email,
    country: 'Australia',
    phone: '+61 491 570 156',
    since: 240,
  },
  {
    key: 'tomas',
    name: 'Tomás Rivera',
    email: 'tomas.rivera@example.org',
    country: 'Spain',
    phone: '+34 600 000 011',
    since: 236,
    referrer: 'investor',
  },
  {
    key: 'aisha',
    name: 'Aisha Rahman',
    email: 'aisha.rahman@example.com',
    country: 'Malaysia',
    phone: '+60 3 5550 0112',
    since: 228,
  },
  {
    key: 'henrik',
    name: 'Henrik Solberg',
    email: 'henrik.solberg@example.net',
    country: 'Norway',
    phone: '+47 400 00 113',
    since: 378,
  },
  {
    key: 'grace',
    name: 'Grace Adeyemi',
    email: 'grace.adeyemi@example.com',
    country: 'Nigeria',
    phone: '+234 803 000 0114',
    since: 205,
    referrer: 'aisha',
  },
  {
    key: 'wei',
    name: 'Wei Zhang',
    email: 'wei.zhang@example.org',
    country: 'Singapore',
    phone: '+65 5550 0115',
    since: 338,
  },
  {
    key: 'lucia',
    name: 'Lucia Bianchi',
    email: 'lucia.bianchi@example.net',
    country: 'Italy',
    phone: '+39 06 5550 0116',
    since: 180,
    referrer: 'tomas',
  },
  {
    key: 'callum',
    name: 'Callum Fraser',
    email: 'callum.fraser@example.com',
    country: 'New Zealand',
    phone: '+64 20 5550 0117',
    since: 164,
  },
  {
    key: 'priya',
    name: 'Priya Nair',
    email: 'priya.nair@example.org',
    country: 'India',
    phone: '+91 80 5550 0118',
    since: 141,
    referrer: 'wei',
  },
  {
    key: 'jonas',
    name: 'Jonas Keller',
    email: 'jonas.keller@example.net',
    country: 'Germany',
    phone: '+49 30 5550 0119',
    since: 118,
  },
  {
    key: 'amelie',
    name: 'Amélie Laurent',
    email: 'amelie.laurent@example.com',
    country: 'France',
    phone: '+33 1 55 50 01 20',
    since: 92,
    referrer: 'lucia',
  },
  {
    key: 'noah',
    name: 'Noah Whitaker',
    email: 'noah.whitaker@example.org',
    country: 'Canada',
    phone: '+1 604 555 0121',
    since: 55,
  },
  {
    key: 'mei',
    name: 'Mei Tanaka',
    email: 'mei.tanaka@example.net',
    country: 'Japan',
    phone: '+81 3 5550 0122',
    since: 12,
    referrer: 'investor',
  },
] as const satisfies readonly Description[]

export type PersonKey = (typeof descriptions)[number]['key']
export type People = Record<PersonKey, Person>

/** Opens the sample's accounts with verified emails. Only the sample logins have a known password. */
export async function loadPeople(tx: Tx, daysAgo: (days: number) => Date): Promise<People> {
  const unknownPassword = await hashPassword(crypto.randomUUID())
  const people: Record<string, Person> = {}
  // Oldest first, since a referrer must exist before the account it brought.
  const byAge: Description[] = descriptions.toSorted((a, b) => b.since - a.since)
  for (const { key, role = null, name, email, country, phone, since, referrer } of byAge) {
    const at = daysAgo(since)
    const login = sampleLogins.find(candidate => candidate.email === email)
    const id = newId(at)
    const type = role === null ? 'investor' : 'admin'
    people[key] = { id, type, role, name, email }
    await tx
      .insertInto('app.users')
      .values({
        id,
        type,
        role,
        name,
        email,
        country,
        phone,
        password_hash: login ? await hashPassword(login.password) : unknownPassword,
        email_verified_at: new Date(at.getTime() + 4 * 60_000),
        referral_code: newReferralCode(),
        referrer_id: referrer ? people[referrer]!.id : null,
        created_at: at,
      })
      .execute()
  }
  return people as People
}
