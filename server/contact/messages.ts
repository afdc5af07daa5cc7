import { t } from '#shared/i18n/t.ts'
import { maximumAnswers, maximumUnusedAttachments } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why a contact message stays as it is. */
export const contactRefusals = defineRefusals({
  already_answered: () => t('This message is already marked as answered.'),
  already_open: () => t('This message is already open.'),
  already_closed: () => t('This message is already closed.'),
  cannot_answer: () => t('They may not answer messages. Choose somebody else.'),
  no_account: () => t('We reply to this person by email only, so a reply has no files.'),
  no_room: () => t('This conversation is full. Answer in another way and mark it as answered.'),
  too_many_answers: () =>
    t('There are {maximum} prepared answers already. Delete one first.', { maximum: maximumAnswers }),
  unused_files: () =>
    t(
      'You have uploaded {count, plural, one {# file} other {# files}} that no message has. Send some of them, or try again tomorrow.',
      { count: maximumUnusedAttachments },
    ),
  too_many_bytes: () =>
    t('Your messages have as many files as an account may send. Please describe it in words.'),
  too_long: () => t('This conversation is full. Please start a new one.'),
})
