import type { Plan } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { amountOutsidePlan, durationWords } from '#shared/plans.ts'
import { FirmWords } from '#web/components/firm-words.tsx'
import { PlanFacts, termsOf } from '#web/components/plan-facts.tsx'
import { Projection, RiskLine } from '#web/components/target.tsx'
import { cx } from '#web/ui/cx.ts'

type PlanChoiceProps = {
  plan: Plan
  chosen: boolean
  onChoose: (byKeyboard: boolean) => void
  /** The amount of step 2; a plan that it does not fit projects its minimum. */
  amountCents: bigint | undefined
  isInvalid: true | undefined
}

/** A plan in step 1 (D-11): a radio button with the card as its label. */
export function PlanChoice({ plan, chosen, onChoose, amountCents, isInvalid }: PlanChoiceProps) {
  const id = `plan-${plan._id}`
  const terms = termsOf(plan)
  const fits = amountCents !== undefined && amountOutsidePlan(terms, amountCents) === undefined
  return (
    <div
      className={cx(
        'relative grid content-start gap-3 rounded-md border bg-surface p-5 hover:border-ink-soft',
        'has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent',
        isInvalid ? 'border-bad' : 'border-rule',
      )}
    >
      <div className="flex items-center justify-between gap-3">
        <label htmlFor={id} className="display text-lg after:absolute after:inset-0">
          {plan.name}
        </label>
        <input
          id={id}
          type="radio"
          name="plan"
          value={plan.name}
          checked={chosen}
          onChange={event => onChoose(event.currentTarget.matches(':focus-visible'))}
          aria-describedby={`${id}-facts`}
          aria-invalid={isInvalid}
          className="size-4.5 shrink-0 accent-accent outline-none"
        />
      </div>
      <div id={`${id}-facts`} className="grid gap-3">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="numeral text-2xl">
            {t('{percentage, number}%', { percentage: plan.percentage })}
          </span>
          <span className="text-ink-faint text-sm">
            {t('target over {duration}', { duration: durationWords(plan) })}
          </span>
        </p>
        <PlanFacts plan={plan} />
        {plan.note && (
          <p className="text-ink-soft text-sm">
            <FirmWords>{plan.note}</FirmWords>
          </p>
        )}
        <div className="border-rule border-t pt-3 text-sm">
          <p className="text-ink-faint">{t('After 30 days (target)')}</p>
          <Projection plan={plan} amountCents={fits ? amountCents : terms.minimumCents} />
        </div>
        <RiskLine />
      </div>
    </div>
  )
}
