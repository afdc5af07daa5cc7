import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a figure on the site stays as it is. */
export const statisticRefusals = defineRefusals({
  sample_not_editable: () => t('A sample figure cannot be edited. Hide it and add another one.'),
  figure_hidden: () => t('This figure is hidden. Show it again first.'),
  already_hidden: () => t('This figure is already hidden.'),
  already_shown: () => t('This figure is already on the site.'),
  order_outdated: () => t('Someone else has just changed the figures. Reload and try again.'),
})
