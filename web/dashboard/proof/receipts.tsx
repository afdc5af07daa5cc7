import { ownReceipt } from '#shared/contract/proof.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { accountNames } from '#shared/statement.ts'
import { useDownload } from '#web/api/download.ts'
import type { Movement } from '#web/components/movements.ts'

/** Each posting has a receipt of its own. */
export function Receipts({ of: { line, postings } }: { of: Movement }) {
  const of = `${line.description}${line.invoiceId ? `, ${line.invoiceId}` : ''}`
  if (postings.length === 1) return <Receipt id={line._id} of={of} />
  return (
    <span className="flex flex-wrap gap-x-3 text-ink-faint text-sm">
      {postings.map(({ _id, account }) => (
        <Receipt key={_id} id={_id} of={of} account={translate(accountNames[account])} />
      ))}
    </span>
  )
}

/** Saves our signed promise that this line will be in the published books. */
function Receipt({ id, of, account }: { id: string; of: string; account?: string }) {
  const { run, pending } = useDownload(ownReceipt)
  return (
    <button
      type="button"
      className="min-h-6 cursor-pointer text-accent text-sm underline-offset-2 hover:underline"
      aria-label={
        account ? t('Receipt ({account}): {line}', { account, line: of }) : t('Receipt: {line}', { line: of })
      }
      aria-busy={pending}
      onClick={() => run({ params: { id } })}
    >
      {account ? t('Receipt ({account})', { account }) : t('Receipt')}
    </button>
  )
}
