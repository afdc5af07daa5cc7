import type { CallData } from '#shared/contract/define.ts'
import { decideCase, type getCase } from '#shared/contract/monitoring.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { type CaseDecision, ruleLabels } from '#shared/monitoring.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { movedWords } from './words.ts'

type Case = CallData<typeof getCase>

/** The two ways to close a case, about the movements on the page. */
export function caseActions(of: Case): Action[] {
  if (of.status !== 'open') return []
  return [
    closing(of, 'explained', {
      label: t('Nothing unusual'),
      title: t('Is there nothing unusual?'),
      description: t(
        'Say what explains the movements, such as the sale of a house that you have seen papers of. This is final. Later movements can open another case.',
      ),
      confirm: t('Close as explained'),
    }),
    closing(of, 'reported', {
      label: t('Reported', {}, 'an action'),
      title: t('Have you reported this?'),
      description: t(
        'Report it to the authority first, with the movements of this case. Say when you did and under which number. This is final. It holds no money, and the investor is not told.',
      ),
      confirm: t('Close as reported'),
      tone: 'danger',
    }),
  ]
}

type Words = { label: string; title: string; description: string; confirm: string; tone?: 'danger' }

function closing(of: Case, decision: CaseDecision, words: Words): Action {
  const { label, ...dialog } = words
  const name = t('the case of {name}', { name: of.userName })
  return {
    label,
    call: decideCase,
    of: name,
    about: of._id,
    ...(words.tone && { tone: words.tone }),
    dialog: close => (
      <ReasonDialog
        call={decideCase}
        reader="staff"
        {...dialog}
        entries={facts(of)}
        input={reason => ({ params: { id: of._id }, body: { decision, newest: of.moved[0]!._id, reason } })}
        shown={shownAt(consolePaths.monitoringCase(of._id), name, false)}
        onClose={close}
      />
    ),
  }
}

function facts(of: Case): Entry[] {
  return [
    [t('User'), <bdi key="user">{of.userName}</bdi>],
    [t('Rule'), translate(ruleLabels[of.rule])],
    [t('Movements'), movedWords(of)],
    [t('Amount'), <Usd key="amount" value={of.amount} />],
  ]
}
