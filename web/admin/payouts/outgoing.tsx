import { railLabels } from '#shared/coins.ts'
import { confirmOutgoing, explainOutgoing, listOutgoing, type Outgoing } from '#shared/contract/payouts.ts'
import { t } from '#shared/i18n/t.ts'
import { unexplainedAdvice } from '#shared/unexplained.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useFocusOnAnchor } from '#web/admin/anchor.ts'
import { isOwn } from '#web/admin/rights.ts'
import { useRead } from '#web/api/read.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Section } from '#web/ui/section.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

/** Transactions of our addresses that no payout explains; nothing while there are none. */
export function OutgoingSection() {
  const { data, isError, refetch } = useRead(listOutgoing, {})
  if (!data && !isError) return null
  if (data?.length === 0) return null
  return (
    <Section title={t('Unexplained transactions')} anchor="outgoing">
      {data ? (
        <div className="grid gap-4">
          <FocusOnAnchor />
          <div className="grid max-w-prose gap-2 text-ink-soft">
            <p>
              {t(
                'These used our addresses, and no payout explains them. If one of you made it, write why. A second person must confirm that.',
              )}
            </p>
            {unexplainedAdvice(data).map(advice => (
              <p key={advice}>{advice}</p>
            ))}
          </div>
          <Table
            wide
            caption={t('Transactions that no payout explains, the oldest first')}
            columns={columns()}
            rows={data}
            keyOf={({ rail, transactionId }) => `${rail} ${transactionId}`}
          />
        </div>
      ) : (
        <FailedState onRetry={() => void refetch()}>
          {t('The list of unexplained transactions could not be loaded.')}
        </FailedState>
      )}
    </Section>
  )
}

/** Emails and the console's home lead to this list, which loads after its page. */
function FocusOnAnchor() {
  useFocusOnAnchor()
  return null
}

function columns(): readonly Column<Outgoing>[] {
  return [
    { header: t('Network'), cell: ({ rail }) => railLabels[rail] },
    { header: t('Transaction'), cell: ({ transactionId }) => <TransactionId id={transactionId} /> },
    {
      header: t('From', {}, 'an address'),
      cell: ({ sender }) => (sender === null ? t('Our Bitcoin wallet') : <GroupedAddress address={sender} />),
    },
    { header: t('Seen'), cell: ({ seenAt }) => <When at={seenAt} /> },
    { header: t('In a block'), cell: ({ mined }) => (mined ? t('Yes') : t('Not yet')) },
    {
      header: t('Explanation'),
      cell: ({ explanation }) => (explanation === null ? t('None yet') : <Explained {...explanation} />),
    },
    { header: t('Action'), cell: row => <Actions actions={actionsOn(row)} none={null} /> },
  ]
}

function TransactionId({ id }: { id: string }) {
  return (
    <bdi dir="ltr" className="wrap-anywhere">
      {id}
    </bdi>
  )
}

function Explained({ reason, by, at }: NonNullable<Outgoing['explanation']>) {
  return (
    <div className="grid gap-1">
      <p dir="auto" className="wrap-anywhere">
        {reason}
      </p>
      <p className="text-ink-soft">
        {tr('{name}, {when}. Waits for a second person.', { name: <bdi>{by}</bdi>, when: <When at={at} /> })}
      </p>
    </div>
  )
}

function actionsOn(row: Outgoing): Action[] {
  return row.explanation === null ? [explain(row)] : [confirm(row, row.explanation), explain(row)]
}

function entriesOf({ rail, transactionId }: Outgoing): Entry[] {
  return [
    [t('Network'), railLabels[rail]],
    [t('Transaction'), <TransactionId key="id" id={transactionId} />],
  ]
}

function confirm(
  row: Outgoing,
  { reason, by, userId, at: explainedAt }: NonNullable<Outgoing['explanation']>,
): Action {
  const { rail, transactionId } = row
  return {
    label: t('Confirm'),
    call: confirmOutgoing,
    of: transactionId,
    ...(isOwn(userId) ? { blocked: t('You wrote this explanation. A second person must confirm it.') } : {}),
    dialog: close => (
      <ActionDialog
        call={confirmOutgoing}
        title={t('Is this explanation true?')}
        description={t(
          'Confirm it only if you know that it is: the alarm for this transaction then ends. No money moves.',
        )}
        entries={[...entriesOf(row), [t('Explanation'), reason], [t('Written by'), by]]}
        optionalReason="log"
        confirm={t('Confirm explanation')}
        input={() => ({ body: { rail, transactionId, explainedAt } })}
        onClose={close}
      />
    ),
  }
}

function explain(row: Outgoing): Action {
  const { rail, transactionId, explanation } = row
  return {
    label: explanation === null ? t('Explain') : t('Explain again'),
    call: explainOutgoing,
    of: transactionId,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={explainOutgoing}
        title={t('Who made this transaction, and why?')}
        description={t(
          'This records your explanation under your name. The alarm ends once a second person confirms it. No money moves.',
        )}
        entries={entriesOf(row)}
        confirm={t('Record', {}, 'to write down')}
        input={reason => ({ body: { rail, transactionId, reason } })}
        onClose={close}
      />
    ),
  }
}
