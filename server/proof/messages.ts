import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why an investor's lines cannot be proved, or their secret stays. */
export const proofRefusals = defineRefusals({
  secret_erased: () =>
    t(
      'The secret of this account was erased, so no one can tell its lines from others any more, not even us.',
    ),
  no_receipts_key: () =>
    t('We have replaced the key that signs receipts. Try again tomorrow, when the new one is published.'),
  already_erased: () => t('The proof secret of this account was erased before.'),
  not_frozen: () => t('Freeze the account first.'),
  has_money: () => t('This account has money or open requests. Its secret can be erased once it has none.'),
  not_published: () =>
    t('The last entries of this account are not published yet. Try again after the epoch has ended.'),
  nothing_published: () => t('Nothing of this account was ever published, so there is nothing to erase.'),
})
