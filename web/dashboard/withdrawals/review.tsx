import type { WithdrawalWallet } from '#shared/coins.ts'
import { localUsd, localUsdShort } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { useSite } from '#web/frame.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { Novelty } from './novelty.tsx'
import { Estimate } from './outlook.tsx'

/** A valid withdrawal before it is requested. */
export type WithdrawalDraft = { amountCents: bigint; wallet: WithdrawalWallet; walletAddress: string }

type WithdrawalReviewProps = {
  draft: WithdrawalDraft
  balanceCents: bigint | undefined
  /** A refusal that concerns no field of the form. */
  refusal: string | undefined
  pending: boolean
  onConfirm: () => void
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

/** Confirmation before a withdrawal is requested (D-08, D7). The text gets the focus, so that a repeated Enter confirms nothing. */
export default function WithdrawalReview(props: WithdrawalReviewProps) {
  const { draft, balanceCents, refusal, pending, onConfirm, onClose, focusAfter } = props
  const { amountCents, wallet, walletAddress } = draft
  return (
    <Dialog open onClose={onClose} title={t('Confirm this withdrawal?')} focusAfter={focusAfter}>
      <div ref={takeFocus} tabIndex={-1} className="grid gap-4 outline-none">
        <DescriptionList
          entries={[
            [t('Amount'), <strong key="amount">{localUsd(amountCents)}</strong>],
            [t('Fee'), t('None', {}, 'no fee')],
            [t('Wallet'), wallet],
            [t('Held now'), localUsd(amountCents)],
            [t('Balance after'), balanceCents === undefined ? '…' : localUsd(balanceCents - amountCents)],
          ]}
        />
        <Estimate wallet={wallet} cents={amountCents} />
        <div className="grid gap-1.5">
          <p className="text-ink-soft">{t('Wallet address')}</p>
          <p className="wrap-anywhere select-all rounded-sm bg-sunken px-3 py-2.5">
            <GroupedAddress address={walletAddress} />
          </p>
          <Novelty wallet={wallet} address={walletAddress} />
        </div>
        <p className="text-ink-soft text-sm">
          {t('Check every group against your wallet. Crypto payments can’t be reversed.')}{' '}
          <Approvals amountCents={amountCents} />
        </p>
        {refusal !== undefined && <p className="text-bad text-sm">{refusal}</p>}
      </div>
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          {t('Change')}
        </Button>
        <Button busy={pending} onClick={onConfirm}>
          {t('Confirm withdrawal')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Approvals({ amountCents }: { amountCents: bigint }) {
  const largeCents = usdFromJson(useSite().largeWithdrawal)!
  return amountCents > largeCents
    ? t(
        'Above {amount} in 24 hours, two members of our team must approve it. Until then, the amount is on hold.',
        { amount: localUsdShort(largeCents) },
      )
    : t('The amount is on hold until we approve and pay it.')
}
