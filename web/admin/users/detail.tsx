import { Link } from 'react-router'
import { getUser } from '#shared/contract/console.ts'
import { listChecks } from '#shared/contract/identity.ts'
import { localCountry } from '#shared/countries.ts'
import { languages } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { roleNames } from '#shared/roles.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { addEarningsAction } from '#web/admin/earnings/add-earnings.tsx'
import { mayCall, mayHere } from '#web/admin/rights.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { Day, When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { Balances } from './balances.tsx'
import { Closed } from './closed.tsx'
import { freezeActions } from './freeze.tsx'
import { History } from './history.tsx'
import { Notes } from './notes.tsx'
import { PersonLink } from './person.tsx'
import { Addresses, Deposits, Earnings, Investments, Referrals, Withdrawals } from './records.tsx'
import { Sessions } from './sessions.tsx'
import { UserStatement } from './statement.tsx'
import type { UserDetail } from './user-detail.ts'

export const meta = pageMeta(msg('User'))

/** `/admin/user?id=`: one account and its records. */
export default function UserPage() {
  return (
    <DetailPage
      call={getUser}
      title={t('User')}
      of={t('user')}
      elsewhere={t('Pick a user from the console.')}
    >
      {user => <User user={user} />}
    </DetailPage>
  )
}

function User({ user }: { user: UserDetail }) {
  const { _id: id } = user
  return (
    <>
      <PageHead
        title={<bdi>{user.name}</bdi>}
        lead={<Standing user={user} />}
        aside={
          <>
            {mayHere('care') && (
              <LinkButton tone="quiet" size="sm" to={consolePaths.foundMessage(id)}>
                {t('Messages')}
              </LinkButton>
            )}
            <Actions actions={[addEarningsAction(user), ...freezeActions(user)]} none={null} />
          </>
        }
      />
      {user.freeze && <Freeze freeze={user.freeze} />}
      {user.closedAt && <Closed at={user.closedAt} />}
      {user.matches.open + user.matches.same > 0 && <Matches user={user} />}
      {user.exposed.open + user.exposed.same > 0 && <Exposed user={user} />}
      {user.openCases > 0 && <Cases user={user} />}
      <Identity user={user} />
      {user.proofErasedAt && (
        <p className="mb-6 text-ink-soft">
          {tr('The proof secret was erased on {when}.', { when: <When at={user.proofErasedAt} /> })}
        </p>
      )}
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('Profile')}>
          <Profile user={user} />
        </Section>
        <Section title={t('Balances')}>
          <Balances user={user} />
        </Section>
        <Notes id={id} className="lg:col-span-2" />
        <Deposits id={id} />
        <Investments id={id} />
        <Withdrawals id={id} />
        <Earnings id={id} />
        {mayHere('books') && <UserStatement id={id} />}
        <Sessions user={user} />
        <Addresses id={id} />
        <Referrals id={id} />
        {mayHere('log') && <History id={id} />}
      </div>
    </>
  )
}

function Standing({ user }: { user: UserDetail }) {
  const { freeze, closedAt, emailVerified, role } = user
  return (
    <span className="flex flex-wrap gap-2">
      {role && <Badge tone="plain">{translate(roleNames[role])}</Badge>}
      {closedAt && <Badge tone="plain">{t('Closed', {}, 'an account')}</Badge>}
      {freeze && <Badge tone="bad">{t('Frozen', {}, 'an account')}</Badge>}
      {!closedAt && !freeze && <Badge tone="good">{t('Open', {}, 'an account')}</Badge>}
      {emailVerified ? (
        <Badge tone="good">{t('Email verified')}</Badge>
      ) : (
        <Badge tone="wait">{t('Email not verified')}</Badge>
      )}
    </span>
  )
}

/** That the name is like one on a sanctions list. */
function Matches({ user: { _id, matches } }: { user: UserDetail }) {
  const words =
    matches.same > 0
      ? t(
          'We decided that this is a person on a sanctions list. The account stays frozen while the entry is listed.',
        )
      : t(
          'The name is like one on a sanctions list. No withdrawal is approved until someone decides whether they are one person.',
        )
  return (
    <p className="mb-8 border-bad border-s-4 bg-bad-soft px-4 py-3 text-sm">
      {words}{' '}
      <Link className="prose-link" to={consolePaths.matchesOf(_id)}>
        {t('View matches')}
      </Link>
    </p>
  )
}

/** That the name is like that of a politically exposed person (decision 181). */
function Exposed({ user: { _id, exposed, identity } }: { user: UserDetail }) {
  const decided =
    identity.level === 'funds'
      ? t(
          'We decided that this is a politically exposed person. Their identity and source of funds are verified.',
        )
      : t(
          'We decided that this is a politically exposed person. New investments wait until their identity and source of funds are verified; withdrawals go on.',
        )
  const words =
    exposed.same > 0
      ? decided
      : t(
          'The name is like that of a politically exposed person. It stops nothing, but someone decides whether they are one person.',
        )
  return (
    <p className="mb-8 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm">
      {words}{' '}
      <Link className="prose-link" to={consolePaths.matchesOf(_id)}>
        {t('View matches')}
      </Link>
    </p>
  )
}

/** That staff still have to look into some movements. */
function Cases({ user: { _id, openCases } }: { user: UserDetail }) {
  return (
    <p className="mb-8 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm">
      {t('{count, plural, one {# monitoring case is open.} other {# monitoring cases are open.}}', {
        count: openCases,
      })}{' '}
      <Link className="prose-link" to={consolePaths.casesOf(_id)}>
        {t('View cases')}
      </Link>
    </p>
  )
}

/** What they have proved, where there is something to say. */
function Identity({ user: { _id, identity } }: { user: UserDetail }) {
  const { level, refused, waiting } = identity
  if (level === 'none' && !refused && waiting === 0) return null
  return (
    <p className="mb-8 border-rule border-s-4 bg-surface px-4 py-3 text-sm">
      <Proved identity={identity} />{' '}
      {waiting > 0 &&
        `${t('{count, plural, one {# check waits for a decision.} other {# checks wait for a decision.}}', { count: waiting })} `}
      {mayCall(listChecks) && (
        <Link className="prose-link" to={consolePaths.checksOf(_id)}>
          {t('View checks')}
        </Link>
      )}
    </p>
  )
}

function Proved({ identity: { level, expiresOn, refused } }: Pick<UserDetail, 'identity'>) {
  if (refused) {
    return t('Refused as a customer: they can withdraw everything, and no longer deposit or invest.')
  }
  if (level === 'none') return t('Nothing proved.')
  const day = expiresOn && <Day on={expiresOn} />
  if (level === 'identity') {
    return day ? tr('Identity verified until {day}.', { day }) : t('Identity verified.')
  }
  return day
    ? tr('Identity and source of funds verified until {day}.', { day })
    : t('Identity and source of funds verified.')
}

/** When, by whom and why it was frozen. */
function Freeze({ freeze: { at, by, reason } }: { freeze: NonNullable<UserDetail['freeze']> }) {
  return (
    <div className="mb-8 grid gap-1 border-bad border-s-4 bg-bad-soft px-4 py-3 text-sm">
      <p className="font-medium text-bad">
        {tr('Frozen by {name}, {when}', { name: <bdi>{by}</bdi>, when: <When at={at} /> })}
      </p>
      <p dir="auto" className="wrap-anywhere text-ink">
        {reason}
      </p>
      <p className="text-ink-soft">
        {t(
          'The investor can log in and view. Nothing can be requested, approved, credited, closed or paid out. Pending requests can be declined.',
        )}
      </p>
    </div>
  )
}

function Profile({ user }: { user: UserDetail }) {
  const { emailVerifiedAt, pendingEmail, referredBy, secondFactorSince, passkeys, terms } = user
  return (
    <DescriptionList
      entries={[
        [t('Name'), user.name],
        [t('Email'), user.email],
        [
          t('Verified', {}, 'an email address, when'),
          emailVerifiedAt ? <When key="verified" at={emailVerifiedAt} /> : t('Not yet'),
        ],
        [t('New email, not verified yet'), pendingEmail],
        [t('Phone'), user.phone],
        [t('Country'), localCountry(user.country)],
        [t('Language'), languages[user.language].name],
        [t('Account opened'), <When key="created" at={user.createdAt} />],
        [
          t('Terms accepted'),
          terms ? (
            <span key="terms">
              {tr('Version {version} ({language}), {when}', {
                version: terms.version,
                language: languages[terms.language].name,
                when: <When at={terms.at} date />,
              })}
            </span>
          ) : (
            t('None', {}, 'terms')
          ),
        ],
        [t('Referral code'), user.referralCode],
        [
          t('Referrer'),
          referredBy ? (
            <PersonLink key="referrer" id={referredBy._id} name={referredBy.name} />
          ) : (
            t('None', {}, 'a referrer')
          ),
        ],
        [
          t('Two-factor authentication'),
          secondFactorSince ? (
            <span key="factor">{tr('On since {when}', { when: <When at={secondFactorSince} date /> })}</span>
          ) : (
            t('Off')
          ),
        ],
        [t('Passkeys'), passkeys === 0 ? t('None', {}, 'passkeys') : String(passkeys)],
        [t('User id'), user._id],
      ]}
    />
  )
}
