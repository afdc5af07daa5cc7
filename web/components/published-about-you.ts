import { msg, translate } from '#shared/i18n/t.ts'

type Entry = { title: string; text: string }

/**
 * What the public proof shows about an investor, in words for the investor (decision 126).
 * @param isClosed the firm publishes hashes in place of transactions (decision 130)
 */
export function publishedAboutYou(isClosed: boolean): readonly Entry[] {
  return [...(isClosed ? closed : open), stays].map(({ title, text }) => ({
    title: translate(title),
    text: translate(text),
  }))
}

const parts: Entry = {
  title: msg('Your balance, in random parts'),
  text: msg(
    'We cut all balances into random parts and shuffle them. Nobody can put yours together again without your secret.',
  ),
}

const open: readonly Entry[] = [
  {
    title: msg('Your transactions, without your name'),
    text: msg(
      'We publish the day, kind and amount of every transaction. Your name, email address, account number and the time of day are not in it.',
    ),
  },
  {
    title: msg('A mark that only you can read'),
    text: msg(
      'Each of your lines has a mark made with a secret that only you and we have. With it you can show that a line is yours. The mark itself tells nobody else which lines belong together.',
    ),
  },
  parts,
  {
    title: msg('What others may still guess'),
    text: msg(
      'Exact amounts, including coins, are public. Someone who knows the amount and day of one of your payments may recognise that line. While few people invest with us, matching amounts and nearby dates may lead them to your other lines.',
    ),
  },
]

const closed: readonly Entry[] = [
  {
    title: msg('A fingerprint of each transaction'),
    text: msg(
      'We publish a fingerprint of each of your transactions, mixed with a random number. Nobody can read its day, kind or amount from it. You have the random numbers of yours, so you can show that each of them is there. Transactions that we published before we began this stay readable, without names.',
    ),
  },
  parts,
  {
    title: msg('What others may still guess'),
    text: msg(
      'Totals are public each day. If little else happened on that day, someone may guess the amount of your payment from the change.',
    ),
  },
]

const stays: Entry = {
  title: msg('It stays public, but your secret can be erased'),
  text: msg(
    "We can't unpublish it. Once your account is empty and closed, you can ask us to erase your secret. Then no one can tell which lines were yours, unless you kept a saved proof. You can no longer check them either. We keep our own records as long as the law requires.",
  ),
}
