import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a plan stays as it is. */
export const planRefusals = defineRefusals({
  terms_changed: ({ before, after }: { before: string; after: string }) =>
    t(
      'The terms of this plan have changed since you saw them. Before: {before}. Now: {after}. Review the new terms and confirm them, or choose another plan.',
      { before, after },
    ),
  plan_retired: () => t('This plan is retired. Restore it first.'),
  already_retired: () => t('This plan is already retired.'),
  already_in_force: () => t('This plan is already in force.'),
  order_outdated: () => t('Someone else has just changed the plans. Reload and try again.'),
})
