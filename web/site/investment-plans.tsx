import type { Plan } from '#shared/contract/entities.ts'
import { listPlans } from '#shared/contract/plans.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { durationWords, riskLine, targetReturn } from '#shared/plans.ts'
import { FirmWords } from '#web/components/firm-words.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { PlanFacts, termsOf } from '#web/components/plan-facts.tsx'
import { publicPath } from '#web/language.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { read } from '#web/server/host.ts'
import { tr } from '#web/tr.ts'
import { Banner, Part } from './banner.tsx'
import { Closing } from './closing.tsx'
import { type Loaded, usePageData, type Visit } from './page-data.ts'
import { Questions, useProductQuestions } from './questions.tsx'

export const meta = pageMeta(msg('Investment plans'), {
  path: paths.plans,
  description: msg(
    'Every plan with its range, duration and target, and what a target means. Returns are targets and are not guaranteed.',
  ),
})

export async function load({ host }: Visit): Promise<Loaded<Plan[]>> {
  return { data: await read(host, listPlans, {}) }
}

/** The catalogue, with one card per plan (P-08, P-09). */
export default function PlansPage() {
  const plans = usePageData<Plan[]>()!
  const [first] = plans
  return (
    <>
      <Banner title={t('Investment plans')} crumb={t('Investment plans')}>
        <p>
          {t(
            'A plan states how much, for how long and what we aim for. The percentage is a simple (not compounded) target for the whole term.',
          )}{' '}
          {translate(riskLine)}
        </p>
      </Banner>
      <div className="page py-14 lg:py-20">{first ? <Catalogue plans={plans} /> : <NoPlans />}</div>
      {first && <Targets plan={first} />}
      <Common />
      <Closing title={t("Open an account first. Choose a plan when you're ready")}>
        <AnchorButton href={publicPath(paths.register)} size="lg">
          {t('Get started')}
        </AnchorButton>
        <a className="prose-link" href={paths.contact}>
          {t('Ask us first')}
        </a>
      </Closing>
    </>
  )
}

function Catalogue({ plans }: { plans: readonly Plan[] }) {
  return (
    <ul className="grid border-rule border-t sm:grid-cols-2 lg:grid-cols-3">
      {plans.map(plan => (
        <PlanCard key={plan._id} plan={plan} />
      ))}
      <li className="plan-more bg-sunken">
        <h2 className="display text-2xl">{t('Not sure which?')}</h2>
        <p className="max-w-md text-ink-soft">
          {t(
            "Start with an amount you can leave invested for the whole term. You can hold several plans at once. If no plan suits you, don't choose one.",
          )}
        </p>
        <a className="prose-link mt-auto justify-self-start" href={paths.contact}>
          {t('Ask us before you choose')}
        </a>
      </li>
    </ul>
  )
}

/** Shown without any plan (D-23). */
function NoPlans() {
  return (
    <div className="grid justify-items-start gap-5 bg-sunken p-9">
      <h2 className="display text-2xl">{t('No plans are open right now')}</h2>
      <p className="max-w-xl text-ink-soft">
        {t(
          'New plans appear here as soon as they open. Until then, ask us what we are preparing, or open an account and look around.',
        )}
      </p>
      <a className="prose-link" href={paths.contact}>
        {t('Ask us about upcoming plans')}
      </a>
    </div>
  )
}

function PlanCard({ plan }: { plan: Plan }) {
  return (
    <li data-figure="plan" className="plan-card">
      <h2 className="display text-2xl">
        <FirmWords>{plan.name}</FirmWords>
      </h2>
      <p className="grid gap-1">
        <span className="text-ink-soft text-sm">
          {t('Target over {duration}', { duration: durationWords(plan) })}
        </span>
        <span className="display text-3xl tabular-nums">{percent(plan.percentage)}</span>
      </p>
      <div className="grid gap-3">
        <PlanFacts plan={plan} />
        {plan.note && (
          <p className="text-ink-soft text-sm">
            {tr('Note: {note}', { note: <FirmWords>{plan.note}</FirmWords> })}
          </p>
        )}
      </div>
      <div className="mt-auto grid gap-4">
        <p className="text-ink-soft text-sm">{translate(riskLine)}</p>
        <AnchorButton
          tone="quiet"
          href={publicPath(paths.register)}
          aria-label={t('Get started with the {name} plan', { name: plan.name })}
          className="justify-self-start"
        >
          {t('Get started')}
        </AnchorButton>
      </div>
    </li>
  )
}

const percents = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { style: 'percent', maximumFractionDigits: 2 }),
)

/** '10.5%', in German '10,5 %'. */
function percent(percentage: number): string {
  return percents().format(percentage / 100)
}

/** An example of a target: the first plan at its minimum. */
function Targets({ plan }: { plan: Plan }) {
  const terms = termsOf(plan)
  const amount = terms.minimumCents
  return (
    <Part
      night
      eyebrow={t('What a target is')}
      title={t('A target, with its arithmetic')}
      lead={<p>{t('Your dashboard uses the same formula.')}</p>}
    >
      <div className="grid gap-8">
        <div data-figure="plan" className="grid gap-2 border-edge border-y py-8">
          <p
            dir="ltr"
            className="display flex flex-wrap items-baseline gap-x-4 gap-y-1 text-3xl tabular-nums"
          >
            <span>{localUsd(amount)}</span>
            <span className="text-ink-faint">×</span>
            <span>{percent(plan.percentage)}</span>
            <span className="text-ink-faint">=</span>
            <span className="text-accent">{localUsd(targetReturn(terms, amount))}</span>
          </p>
          <p className="text-ink-soft text-sm">
            {tr('The {name} plan at its minimum: amount × target over {duration}.', {
              name: <FirmWords>{plan.name}</FirmWords>,
              duration: durationWords(plan),
            })}{' '}
            {translate(riskLine)}
          </p>
        </div>
        <p className="text-ink-soft text-lg">
          {t(
            "We pay it only from returns already realised. If there aren't enough, the rest is paid later or not at all.",
          )}
        </p>
      </div>
    </Part>
  )
}

/** Common questions, and the way to all of them. */
function Common() {
  const questions = useProductQuestions()
  return (
    <Part eyebrow={t('Before you choose')} title={t('Common questions')}>
      <div className="grid gap-6">
        <Questions questions={questions} />
        <a className="prose-link justify-self-start" href={paths.faq}>
          {t('All questions and answers')}
        </a>
      </div>
    </Part>
  )
}
