import { listReferred, me } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { useFrame } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { registerWith } from '#web/paths.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

export const meta = pageMeta(msg('Referrals'))

type Referred = CallData<typeof listReferred>[number]

const columns: readonly Column<Referred>[] = [
  { header: msg('Name'), cell: ({ name }) => <bdi>{name}</bdi> },
  { header: msg('Joined'), cell: ({ joinedAt }) => <When at={joinedAt} date />, numeric: true },
]

/** The referral code, its link, and who joined with it (D-06). */
export default function ReferralsPage() {
  return (
    <>
      <PageHead
        title={t('Referrals')}
        lead={t('We pay no reward for referrals: it could only come from other investors’ money.')}
      />
      <Section title={t('Your referral code')} className="mb-10">
        <Code />
      </Section>
      <Section title={t('Who joined with your code')}>
        <Joined />
      </Section>
    </>
  )
}

function Code() {
  const { origin } = useFrame()
  const { data: user } = useRead(me, {})
  if (!user) return <Loading label={t('Loading your referral code')} lines={2} />
  const link = `${origin}${registerWith(user.referralCode)}`
  return (
    <div className="grid max-w-3xl gap-4">
      <DescriptionList
        entries={[
          [t('Code'), user.referralCode],
          [t('Link'), link],
          [t('Referred by'), user.referrer ?? t('No one')],
        ]}
      />
      <p className="text-ink-soft text-sm">
        {t('People who register with it see your name on their profile.')}
      </p>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={link} label={t('Copy link')} />
        <CopyButton text={user.referralCode} label={t('Copy referral code')} />
      </div>
    </div>
  )
}

function Joined() {
  const list = useList(listReferred)
  return (
    <ListStates
      list={list}
      of={t('who joined')}
      empty={<EmptyState>{t('No one has joined with your code yet.')}</EmptyState>}
    >
      {rows => (
        <>
          <Table
            caption={t('Who joined with your code, newest first')}
            columns={columns}
            rows={rows}
            keyOf={({ name, joinedAt }) => `${joinedAt} ${name}`}
          />
          <p className="mt-3 text-ink-soft text-sm">
            {t('They verified their email address. You don’t see their full names or what they invest.')}
          </p>
        </>
      )}
    </ListStates>
  )
}
