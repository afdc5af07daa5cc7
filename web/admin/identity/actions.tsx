import type { CallData } from '#shared/contract/define.ts'
import { decideCheck, type getCheck } from '#shared/contract/identity.ts'
import { t, translate } from '#shared/i18n/t.ts'
import type { CheckDecision } from '#shared/identity.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { isOwn } from '#web/admin/rights.ts'
import { consolePaths } from '#web/console-paths.ts'
import { kindWords } from './status.tsx'

export type Check = CallData<typeof getCheck>

/** Verify, return or refuse what waits; a refusal is corrected by another person. */
export function checkActions(of: Check): Action[] {
  if (of.status === 'refused') return isCorrectable(of) ? [returning(of, t('Correct to returned'))] : []
  if (of.status !== 'waiting') return []
  return [verifying(of), returning(of, t('Return', {}, 'send back')), refusing(of)]
}

/** What was deleted can no longer be opened, so only someone who opened it before can correct its refusal. */
const isCorrectable = (of: Check) => of.opened || of.erasedAt === null

/** True if the reader refused it, and so cannot correct it. */
export function isOwnRefusal({ status, decider }: Check): boolean {
  return status === 'refused' && decider !== null && isOwn(decider)
}

/** True if the reader can decide it once they have opened it. */
export function needsOpening(of: Check): boolean {
  return !of.opened && !isOwnRefusal(of) && (of.status === 'waiting' || of.status === 'refused')
}

/** Why the reader cannot decide it yet, or at all. */
function whyNot(of: Check): string | undefined {
  if (isOwnRefusal(of)) return t('You refused it yourself')
  return of.opened ? undefined : t('Open what was sent first')
}

const nameOf = (of: Check) => t('the check of {name}', { name: of.userName })
function shared(of: Check) {
  const blocked = whyNot(of)
  return { call: decideCheck, of: nameOf(of), about: of.user, ...(blocked && { blocked }) }
}
const input = (of: Check, decision: CheckDecision, reason?: string) => ({
  params: { id: of._id },
  body: { decision, ...(reason && { reason }), ...(of.status === 'refused' && { corrects: true }) },
})
const shown = (of: Check) => shownAt(consolePaths.identityCheck(of._id), nameOf(of), false)

function verifying(of: Check): Action {
  return {
    ...shared(of),
    label: t('Verify'),
    dialog: close => (
      <ActionDialog
        call={decideCheck}
        title={of.kind === 'identity' ? t('Is this the person?') : t('Does this explain the money?')}
        description={
          of.kind === 'identity'
            ? t(
                'You confirm that the document is genuine and valid, that the selfie shows the same person, and that the account has their name. It counts until the document ends, at most three years.',
              )
            : t('You confirm that the papers show where the money comes from. It counts for three years.')
        }
        entries={facts(of)}
        confirm={t('Verify')}
        input={() => input(of, 'verified')}
        shown={shown(of)}
        onClose={close}
      />
    ),
  }
}

function returning(of: Check, label: string): Action {
  return {
    ...shared(of),
    label,
    dialog: close => (
      <ReasonDialog
        call={decideCheck}
        reader="investor"
        title={of.status === 'refused' ? t('Let the person try again?') : t('Return it for a correction?')}
        description={t(
          'Say what is missing or wrong, and what to send instead. The person can send it again. What they sent now is deleted after 30 days.',
        )}
        entries={facts(of)}
        confirm={t('Return', {}, 'send back')}
        input={reason => input(of, 'returned', reason)}
        shown={shown(of)}
        onClose={close}
      />
    ),
  }
}

function refusing(of: Check): Action {
  return {
    ...shared(of),
    label: t('Refuse'),
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        call={decideCheck}
        reader="investor"
        title={t('Refuse this person as a customer?')}
        description={t(
          'Their pending investments are declined, and they can withdraw all of their money without a limit. They can no longer deposit or invest. If you suspect a crime, freeze the account instead. Another person can correct a refusal.',
        )}
        entries={facts(of)}
        confirm={t('Refuse')}
        tone="danger"
        input={reason => input(of, 'refused', reason)}
        shown={shown(of)}
        onClose={close}
      />
    ),
  }
}

function facts(of: Check): Entry[] {
  return [
    [t('User'), <bdi key="user">{of.userName}</bdi>],
    [t('Kind'), translate(kindWords[of.kind])],
  ]
}
