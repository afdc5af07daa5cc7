import { t, translate } from '#shared/i18n/t.ts'
import { termsNoticeDays } from '#shared/limits.ts'
import { type PolicyKind, policyTitles } from '#shared/policies.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a policy is not published, or an investor cannot go on. */
export const policyRefusals = defineRefusals({
  terms_not_accepted: ({ version }: { version: number }) =>
    t(
      'Please read and accept version {version} of our terms first. You find them under Terms in your account.',
      { version },
    ),
  terms_superseded: () => t('There is a newer version of our terms. Please read and accept that one.'),
  terms_changed_since: () =>
    t('Our terms have changed since you opened this page. Reload it to read them, then register.'),
  policy_unchanged: () => t('This is the text in force. Change something first.'),
  translation_unchanged: () => t('These are the translations that are shown. Change something first.'),
  day_passed: () =>
    t('The day on which it was to come into force has passed. Propose it again with a later day.'),
  notice_too_short: () =>
    t(
      'Changed terms come into force at least {days} days after their approval. Propose them again with a later day.',
      { days: termsNoticeDays },
    ),
})

/** Which policy a proposal is about, for its email. */
export function aboutPolicy(kind: PolicyKind): string {
  return t('Policy: {policy}', { policy: translate(policyTitles[kind]) })
}
