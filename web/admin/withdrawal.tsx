import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { Actions } from './acts/actions.tsx'
import { approvalsWords, withdrawalActions } from './acts/withdrawal.tsx'
import { DetailPage } from './detail-page.tsx'
import { Investor } from './investor.tsx'
import { Posted } from './posted.tsx'

export const meta = pageMeta('Withdrawal')

type Detail = CallData<typeof getWithdrawal>

/** `/admin/withdrawal?id=`: a withdrawal, where it goes, what happened to it and what it posted. */
export default function WithdrawalPage() {
  return (
    <DetailPage
      call={getWithdrawal}
      title="Withdrawal"
      of="withdrawal"
      elsewhere="Choose one in the console's list of withdrawals."
    >
      {withdrawal => <WithdrawalDetail withdrawal={withdrawal} />}
    </DetailPage>
  )
}

function WithdrawalDetail({ withdrawal }: { withdrawal: Detail }) {
  return (
    <>
      <PageHead
        title={`Withdrawal ${withdrawal.invoiceId}`}
        lead={<WithdrawalStatus status={withdrawal.status} />}
        aside={<Actions actions={withdrawalActions(withdrawal, withdrawal)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title="Payment">
          <Payment withdrawal={withdrawal} />
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title="Investor">
            <Investor id={withdrawal.user} />
          </Section>
          <Section title="History">
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
          ['Amount', <Usd key="amount" value={withdrawal.amount} />],
          [
            'Taken back by networks',
            withdrawal.debt > 0 ? <Owing key="short" withdrawal={withdrawal} /> : null,
          ],
          [
            'No batch can pay it',
            withdrawal.unpayable && <Unpayable key="unpayable" words={withdrawal.unpayable} />,
          ],
          ...payoutEntries(withdrawal),
          [
            'Payout batch',
            withdrawal.batch && (
              <span key="batch">
                <Link className="prose-link" to={paths.admin.payout(withdrawal.batch._id)}>
                  {withdrawal.batch.number}
                </Link>
                {withdrawal.batch.exclusive && ' marks it as paid by itself'}
              </span>
            ),
          ],
          [
            'Cancelled batch',
            withdrawal.filesOut.length > 0 ? <FilesOut key="files" withdrawal={withdrawal} /> : null,
          ],
          ['Wallet', withdrawal.wallet],
          ['Wallet address', <GroupedAddress key="address" address={walletAddress} />],
          ['Approvals', approvalsWords(withdrawal)],
          ['Requested', <When key="created" at={withdrawal.createdAt} />],
          ['Approved', approvedAt && <When key="approved" at={approvedAt} />],
          ['Paid', paidAt && <When key="paid" at={paidAt} />],
          ['Transaction id', transactionId],
          ['Why it was declined', withdrawal.declineReason],
        ]}
      />
      <div className="mt-4">
        <CopyButton text={walletAddress} label="Copy wallet address" />
      </div>
    </>
  )
}

/** Why it stays approved until somebody does something about it, and what. */
function Unpayable({ words }: { words: string }) {
  return (
    <span className="text-bad text-sm">
      {words} If nobody has paid it by hand, decline it, so that the investor has the money available again;
      or pay it by hand from elsewhere.
    </span>
  )
}

/** Files of cancelled batches that can still pay it: another payment would then be the second one. */
function FilesOut({ withdrawal: { filesOut } }: { withdrawal: Detail }) {
  return (
    <span className="grid gap-2">
      {filesOut.map(({ batch, number, words }) => (
        <span key={batch} className="grid justify-items-end gap-0.5">
          <Link className="prose-link" to={paths.admin.payout(batch)}>
            {number}
          </Link>
          <span className="text-bad text-sm">{words}</span>
        </span>
      ))}
    </span>
  )
}

/** What its owner has had that a network took back later, and what that means for this withdrawal. */
function Owing({ withdrawal: { debt, status, batch } }: { withdrawal: Detail }) {
  const isOpen = status === 'pending' || status === 'approved'
  return (
    <span className="grid justify-items-end gap-0.5">
      <Usd value={debt} />
      {isOpen && (
        <span className="text-bad text-sm">
          The investor was credited with it and it was not available any more. Pay nothing:{' '}
          {batch?.exclusive ? `cancel ${batch.number}, then decline` : 'decline'} this withdrawal, and what it
          holds makes that good.
        </span>
      )}
    </span>
  )
}
