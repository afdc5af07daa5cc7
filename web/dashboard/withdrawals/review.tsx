import type { WithdrawalWallet } from '#shared/coins.ts'
import { formatUsd, formatUsdShort, usdFromJson } from '#shared/money.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { useSite } from '#web/frame.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'

/** A withdrawal as it was typed and found good. */
export type WithdrawalDraft = { amountCents: bigint; wallet: WithdrawalWallet; walletAddress: string }

type WithdrawalReviewProps = {
  draft: WithdrawalDraft
  balanceCents: bigint | undefined
  /** Why it was refused, where that is about no field of the form. */
  refusal: string | undefined
  pending: boolean
  onConfirm: () => void
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

/**
 * The last look before a withdrawal is asked for (D-08, D7): how much, to where, and that it is for good. The first focus is
 * on what is to be read: Enter, pressed once too often, confirms nothing.
 */
export default function WithdrawalReview(props: WithdrawalReviewProps) {
  const { draft, balanceCents, refusal, pending, onConfirm, onClose, focusAfter } = props
  const { amountCents, wallet, walletAddress } = draft
  return (
    <Dialog open onClose={onClose} title="Confirm this withdrawal?" focusAfter={focusAfter}>
      <div ref={takeFocus} tabIndex={-1} className="grid gap-4 outline-none">
        <DescriptionList
          entries={[
            ['Amount', <strong key="amount">{formatUsd(amountCents)}</strong>],
            ['Fee', 'None'],
            ['Wallet', wallet],
            ['On hold from now', formatUsd(amountCents)],
            ['Left available', balanceCents === undefined ? '…' : formatUsd(balanceCents - amountCents)],
          ]}
        />
        <div className="grid gap-1.5">
          <p className="text-ink-soft">Wallet address</p>
          <p className="wrap-anywhere select-all rounded-sm bg-sunken px-3 py-2.5">
            <GroupedAddress address={walletAddress} />
          </p>
        </div>
        <p className="text-ink-soft text-sm">
          Compare the address with your wallet's, from the first group to the last: coins that have been paid
          out cannot be called back. <Approvals amountCents={amountCents} />
        </p>
        {refusal !== undefined && <p className="text-bad text-sm">{refusal}</p>}
      </div>
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Change
        </Button>
        <Button busy={pending} onClick={onConfirm}>
          Confirm withdrawal
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Who decides about it, and what happens until then (D7). */
function Approvals({ amountCents }: { amountCents: bigint }) {
  const largeCents = usdFromJson(useSite().largeWithdrawal)!
  return amountCents > largeCents
    ? `Above ${formatUsdShort(largeCents)} two people of the firm must approve it; until then the amount is on hold.`
    : 'The amount is on hold until the firm has approved and paid it.'
}
