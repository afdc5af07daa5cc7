import { t, translate } from '#shared/i18n/t.ts'
import { type CheckKind, checkWords, type IdentityFileKind, missingFileWords } from '#shared/identity.ts'
import { mostFundsFiles } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a proof stays as it is, or an investor cannot go on. */
export const identityRefusals = defineRefusals({
  check_waiting: () => t('You have sent this already. We will tell you once we have checked it.'),
  file_missing: ({ kind }: { kind: IdentityFileKind }) => translate(missingFileWords[kind]),
  kept_deleted: () => t('A file that you sent before has been deleted. Reload the page, and add it again.'),
  files_full: () => t('You can add at most {most} files. Remove one first.', { most: mostFundsFiles }),
  identity_first: () => t('Please prove your identity first.'),
  check_decided: () => t('This has been decided already.'),
  check_unopened: () => t('Open what was sent before you decide.'),
  check_erased: () => t('What was sent has been deleted.'),
  name_changed: () =>
    t('The account has another name since this was sent. Return it, so that the person can send it again.'),
  document_ended: () =>
    t('The document is no longer valid. Return it, so that the person can send a valid one.'),
  no_provider: () => t('Please send your documents with the form.'),
  session_open: () => t('You have one that is open. Continue it, or cancel it first.'),
  no_session: () => t('There is none that is open.'),
  own_refusal: () => t('You refused this yourself. Ask another person to correct it.'),
  identity_refused: () =>
    t(
      'We cannot keep you as a customer, so you cannot deposit or invest any more. You can withdraw all of your money.',
    ),
  withdrawal_waits: ({ kind }: { kind: CheckKind }) =>
    t(
      'This withdrawal waits for {check}: without it, its owner has reached the limit. Someone with the role Admin or Compliance must verify it first. You can decline the withdrawal.',
      { check: translate(checkWords[kind]) },
    ),
  investment_waits: ({ kind, exposed }: { kind: CheckKind; exposed: boolean }) =>
    exposed
      ? t(
          'This investment waits for {check}: its owner is a politically exposed person. Someone with the role Admin or Compliance must verify it first. You can decline the investment.',
          { check: translate(checkWords[kind]) },
        )
      : t(
          'This investment waits for {check}: without it, its owner has reached the limit. Someone with the role Admin or Compliance must verify it first. You can decline the investment.',
          { check: translate(checkWords[kind]) },
        ),
})
