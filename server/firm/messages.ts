import { defineRefusals } from '#shared/refusals.ts'

/** Why a figure on the site stays as it is. */
export const statisticRefusals = defineRefusals({
  sample_not_editable: () => 'A sample figure cannot be edited. Hide it and add another one.',
  figure_hidden: () => 'This figure is hidden. Show it again first.',
  already_hidden: () => 'This figure is already hidden.',
  already_shown: () => 'This figure is already on the site.',
  order_outdated: () => 'Someone else has just changed the figures. Reload and try again.',
})
