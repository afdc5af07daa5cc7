import { type CheckKind, checkWords, type IdentityFileKind, identityFileLabels } from '#shared/identity.ts'
import { mostFundsFiles } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a proof stays as it is, or an investor cannot go on. */
export const identityRefusals = defineRefusals({
  check_waiting: () => 'You have sent this already. We will tell you once we have checked it.',
  file_missing: ({ kind }: { kind: IdentityFileKind }) =>
    `${identityFileLabels[kind]} is missing. Add a picture or a PDF of it.`,
  files_full: () => `You can add at most ${mostFundsFiles} files. Remove one first.`,
  identity_first: () => 'Please prove your identity first.',
  check_decided: () => 'This has been decided already.',
  check_unopened: () => 'Open what was sent before you decide.',
  check_erased: () => 'What was sent has been deleted.',
  name_changed: () =>
    'The account has another name since this was sent. Return it, so that the person can send it again.',
  document_ended: () =>
    'The document is no longer valid. Return it, so that the person can send a valid one.',
  no_provider: () => 'Please send your documents with the form.',
  session_open: () => 'You have one that is open. Continue it, or cancel it first.',
  no_session: () => 'There is none that is open.',
  own_refusal: () => 'You refused this yourself. Ask another person to correct it.',
  identity_refused: () =>
    'We cannot keep you as a customer, so you cannot deposit or invest any more. You can withdraw all of your money.',
  withdrawal_waits: ({ kind }: { kind: CheckKind }) =>
    `This withdrawal waits for ${checkWords[kind]}: without it, its owner has reached the limit. Someone with the role Admin or Compliance must verify it first. You can decline the withdrawal.`,
  investment_waits: ({ kind, exposed }: { kind: CheckKind; exposed: boolean }) =>
    `This investment waits for ${checkWords[kind]}: ${exposed ? 'its owner is a politically exposed person' : 'without it, its owner has reached the limit'}. Someone with the role Admin or Compliance must verify it first. You can decline the investment.`,
})
