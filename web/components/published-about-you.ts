/** What the public proof shows about an investor, in words for the investor (decision 126). */
export const publishedAboutYou = [
  {
    title: 'Your transactions, without your name',
    text: 'We publish the day, kind and amount of every transaction. Your name, email address, account number and the time of day are not in it.',
  },
  {
    title: 'A mark that only you can read',
    text: 'Each of your lines has a mark made with a secret that only you and we have. With it you can show that a line is yours. Without it, nobody can tell your lines from others’.',
  },
  {
    title: 'Your balance, in random parts',
    text: 'We cut all balances into random parts and shuffle them. Nobody can put yours together again without your secret.',
  },
  {
    title: 'What others may still guess',
    text: 'Someone who already knows the exact amount and day of one of your payments may recognise that line. It doesn’t lead them to your other lines.',
  },
  {
    title: 'It stays public, but your secret can be erased',
    text: 'We can’t unpublish it. Once your account is empty and closed, you can ask us to erase your secret. Then no one can tell which lines were yours, unless you kept a saved proof. You can no longer check them either. We keep our own records as long as the law requires.',
  },
] as const
