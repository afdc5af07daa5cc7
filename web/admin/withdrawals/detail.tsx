import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { WaitsFor } from '#web/admin/identity/waits.tsx'
import { Posted } from '#web/admin/ledger-entries.tsx'
import { Investor } from '#web/admin/users/investor.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Numbered, PageHead, Section } from '#web/ui/section.tsx'
import {
  approvalsWords,
  approversWords,
  ownerStopLabel,
  secondApprovalWords,
  withdrawalActions,
} from './actions.tsx'

export const meta = pageMeta(msg('Withdrawal'))

type Detail = CallData<typeof getWithdrawal>

/** `/admin/withdrawal?id=`: a withdrawal with its payment, history and postings. */
export default function WithdrawalPage() {
  return (
    <DetailPage
      call={getWithdrawal}
      title={t('Withdrawal')}
      of={t('withdrawal')}
      elsewhere={t('Pick a withdrawal from the console.')}
    >
      {withdrawal => <WithdrawalDetail withdrawal={withdrawal} />}
    </DetailPage>
  )
}

function WithdrawalDetail({ withdrawal }: { withdrawal: Detail }) {
  return (
    <>
      <PageHead
        title={<Numbered name={t('Withdrawal')} number={withdrawal.invoiceId} />}
        lead={<WithdrawalStatus withdrawal={withdrawal} />}
        aside={<Actions actions={withdrawalActions(withdrawal, withdrawal)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('Payment')}>
          <Payment withdrawal={withdrawal} />
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title={t('Investor')}>
            <Investor id={withdrawal.user} />
          </Section>
          <Section title={t('History')}>
            <Timeline entries={withdrawal.history} />
          </Section>
        </div>
        <Posted id={withdrawal._id} className="lg:col-span-2" />
      </div>
    </>
  )
}

function Payment({ withdrawal }: { withdrawal: Detail }) {
  const { walletAddress, transactionId, approvedAt, paidAt } = withdrawal
  return (
    <>
      <DescriptionList
        entries={[
          [t('Amount'), <Usd key="amount" value={withdrawal.amount} />],
          [
            t('Debt from reversed deposits'),
            withdrawal.debt > 0 ? <Debt key="short" withdrawal={withdrawal} /> : null,
          ],
          [
            ownerStopLabel(withdrawal),
            withdrawal.matched && <Matched key="matched" withdrawal={withdrawal} />,
          ],
          [
            t('Proof of its owner'),
            withdrawal.waitsFor && <WaitsFor key="waits" kind={withdrawal.waitsFor} user={withdrawal.user} />,
          ],
          [t('Sanctions list'), withdrawal.listed && <Listed key="listed" words={withdrawal.listed} />],
          [
            t('No batch can pay it'),
            withdrawal.unpayable && <Unpayable key="unpayable" words={withdrawal.unpayable} />,
          ],
          ...payoutEntries(withdrawal),
          [t('Payout batch'), withdrawal.batch && <Batch key="batch" batch={withdrawal.batch} />],
          [t('Wallet'), withdrawal.wallet],
          [t('Wallet address'), <GroupedAddress key="address" address={walletAddress} />],
          [t('Approvals'), approvalsWords(withdrawal)],
          [t('Why two people'), secondApprovalWords(withdrawal)],
          [t('Approved by'), approversWords(withdrawal)],
          [t('Requested'), <When key="created" at={withdrawal.createdAt} />],
          [t('Approved'), approvedAt && <When key="approved" at={approvedAt} />],
          [t('Paid'), paidAt && <When key="paid" at={paidAt} />],
          [t('Transaction id'), transactionId && <bdi key="id">{transactionId}</bdi>],
          [t('Why it was declined'), withdrawal.declineReason],
          [t('Cancelled by'), withdrawal.cancelled ? t('The investor') : null],
        ]}
      />
      <div className="mt-4">
        <CopyButton text={walletAddress} label={t('Copy wallet address')} />
      </div>
    </>
  )
}

function Batch({ batch: { _id, number, exclusive } }: { batch: NonNullable<Detail['batch']> }) {
  const batch = (
    <Link className="prose-link" to={consolePaths.payout(_id)}>
      {number}
    </Link>
  )
  return exclusive ? tr('{batch} marks it as paid automatically', { batch }) : batch
}

/** Why it cannot be approved yet: its owner's name is like a listed one. */
function Matched({ withdrawal: { matched, user } }: { withdrawal: Detail }) {
  return (
    <span className="text-bad text-sm">
      {matched}{' '}
      <Link className="prose-link" to={consolePaths.matchesOf(user)}>
        {t('View matches')}
      </Link>
    </span>
  )
}

/** Where its address is listed, and what to do with it. */
function Listed({ words }: { words: string }) {
  return (
    <span className="text-bad text-sm">
      {words}{' '}
      {t(
        'We pay nothing to it: decline the withdrawal, so that the money is available to the investor again.',
      )}
    </span>
  )
}

/** Why no batch can pay it, and what to do instead. */
function Unpayable({ words }: { words: string }) {
  return (
    <span className="text-bad text-sm">
      {words}{' '}
      {t(
        'If nobody has paid it manually, decline it, so that the money is available to the investor again; or pay it manually from another wallet.',
      )}
    </span>
  )
}

/** The investor's debt, and what to do with this withdrawal. */
function Debt({ withdrawal: { debt, status, batch } }: { withdrawal: Detail }) {
  const isOpen = status === 'pending' || status === 'approved'
  return (
    <span className="grid justify-items-end gap-0.5">
      <Usd value={debt} />
      {isOpen && (
        <span className="text-bad text-sm">
          {batch?.exclusive
            ? t(
                'The investor spent money from a deposit that its network later reversed. Do not pay: cancel {batch}, then decline this withdrawal; the released hold will repay the debt.',
                { batch: batch.number },
              )
            : t(
                'The investor spent money from a deposit that its network later reversed. Do not pay: decline this withdrawal; the released hold will repay the debt.',
              )}
        </span>
      )}
    </span>
  )
}
