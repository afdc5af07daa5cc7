import type { Investment } from '#shared/contract/entities.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { useRead } from '#web/api/read.ts'
import { InvestmentBadges, InvestmentEarnings, InvestmentTerms } from '#web/components/investment-parts.tsx'
import { Postings } from '#web/components/postings.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { DepositDetail } from './deposit-dialog.tsx'

type InvestmentDialogProps = { investment: Investment; onClose: () => void }

/** One investment with all that belongs to it (D-03, D-07). What the card knew is there at once, the rest follows. */
export default function InvestmentDialog({ investment, onClose }: InvestmentDialogProps) {
  return (
    <Dialog wide open onClose={onClose} title={`${investment.plan} plan`} description={investment.invoiceId}>
      <div className="grid gap-6">
        <InvestmentBadges investment={investment} />
        <div className="grid gap-3">
          <InvestmentTerms investment={investment} />
        </div>
        <Belongings id={investment._id} />
      </div>
    </Dialog>
  )
}

/** Its payment, earnings, postings and history. */
function Belongings({ id }: { id: string }) {
  const { data, isError, refetch } = useRead(getInvestment, { params: { id } })
  if (isError) return <FailedState onRetry={refetch}>The rest of it could not be loaded.</FailedState>
  if (!data) return <Loading label="Loading payment, earnings and postings" lines={6} />
  return (
    <>
      {data.deposit && (
        <Section title="Payment">
          <DepositDetail deposit={data.deposit} />
        </Section>
      )}
      <Section title="Earnings">
        <InvestmentEarnings earnings={data.earnings} />
      </Section>
      <Section title="Postings">
        {data.entries.length === 0 ? (
          <p className="text-ink-soft">Nothing has been posted on your accounts for it yet.</p>
        ) : (
          <Postings caption="Postings of this investment" lines={data.entries} />
        )}
      </Section>
      <Section title="History">
        <Timeline entries={data.history} />
      </Section>
    </>
  )
}
