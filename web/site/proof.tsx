import type { ReactNode } from 'react'
import { type ProofOverview, proofOverview } from '#shared/contract/proof.ts'
import { localUsdJson } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { AnchorButton } from '#web/components/link-button.tsx'
import { publishedAboutYou } from '#web/components/published-about-you.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { read } from '#web/server/host.ts'
import { tr } from '#web/tr.ts'
import { Banner, Entries, Part } from './banner.tsx'
import { Closing } from './closing.tsx'
import { type Loaded, usePageData, type Visit } from './page-data.ts'
import { OwedChart } from './proof-chart.tsx'
import { OwnCheck } from './proof-commands.tsx'
import { proofPath } from './proof-path.ts'
import { Dated } from './proof-stamp.tsx'
import { Cosigners } from './proof-witnesses.tsx'
import { utcDay, utcTime } from './utc.ts'

export const meta = pageMeta(msg('Check our books yourself'), {
  path: paths.proof,
  description: msg(
    'What we publish of our books and sign each day, how you check it in two minutes, and what it does not prove.',
  ),
})

export async function load({ host }: Visit): Promise<Loaded<ProofOverview>> {
  return { data: await read(host, proofOverview, {}) }
}

type PublishedLog = NonNullable<ProofOverview['log']>
type Epoch = ProofOverview['listed'][number]

const openLead = msg(
  'We publish every transaction of our books, without names. Anyone can check them: no account, no permission, and no trust in us.',
)
const closedLead = msg(
  'We publish a fingerprint of every transaction of our books, and all totals. Investors can check their own transactions and balances. Only our auditor can add up all of them.',
)

/** The public proof (decision 124): what is published, how anybody checks it, and what it does not prove. */
export default function ProofPage() {
  const overview = usePageData<ProofOverview>()!
  const { log, listed } = overview
  const latest = listed.at(-1)
  // What was closed once stays so.
  const isClosed = overview.isClosed || Boolean(log?.closedSince)
  return (
    <>
      <Banner title={t('Check our books yourself')} crumb={t('Public proof')}>
        <p>{translate(isClosed ? closedLead : openLead)}</p>
      </Banner>
      {log && latest ? (
        <Published log={log} latest={latest} first={listed[0]!} hours={overview.epochHours} />
      ) : (
        <NothingYet {...overview} />
      )}
      {latest && <Sides latest={latest} {...overview} />}
      {listed.length > 1 && <OwedChart epochs={listed} />}
      <Meaning isClosed={isClosed} />
      <AboutInvestors isClosed={overview.isClosed} />
      <Cosigners cosigners={log?.cosigners ?? []} />
      <OwnCheck isClosed={isClosed} />
      <Limits isClosed={isClosed} />
      <Closing title={t("Something doesn't add up? Tell us, and keep what you downloaded")}>
        <AnchorButton href={paths.contact} size="lg">
          {t('Contact us')}
        </AnchorButton>
        <a className="prose-link" href={`${paths.about}#books`}>
          {t('How we keep the books')}
        </a>
      </Closing>
    </>
  )
}

function NothingYet({ nextEndsAt }: ProofOverview) {
  return (
    <Part eyebrow={t('Published so far')} title={t('Nothing is published yet')}>
      <p className="max-w-2xl text-lg">
        {nextEndsAt === null
          ? t('The first epoch begins with our first transaction. We publish it once it has ended.')
          : tr('The first epoch ends on {time}. We publish its transactions within minutes of that.', {
              time: (
                <time data-figure="proof" dateTime={nextEndsAt}>
                  {utcTime(nextEndsAt)}
                </time>
              ),
            })}
      </p>
    </Part>
  )
}

type PublishedProps = { log: PublishedLog; first: Epoch; latest: Epoch; hours: number }

function Published({ log, first, latest, hours }: PublishedProps) {
  const entries = [
    { title: t('Transactions'), text: transactionsInWords(log) },
    {
      title: t('Epochs'),
      text:
        hours === 24
          ? t(
              '{epochs, number}, without a gap. Each lasts a day (UTC) and ends with totals and our signature.',
              { epochs: log.epochs },
            )
          : t(
              '{epochs, number}, without a gap. Each lasts {hours, plural, other {# hours}} and ends with totals and our signature.',
              { epochs: log.epochs, hours },
            ),
    },
    {
      title: t('First epoch'),
      text: t(
        'Ended {day}, signed {time}. Everything earlier is sealed as our books showed it when we signed.',
        { day: utcDay(first.day), time: utcTime(log.firstSignedAt) },
      ),
    },
    {
      title: t('Latest epoch'),
      text: t('Ended {day}, signed {time}', { day: utcDay(latest.day), time: utcTime(log.signedAt) }),
    },
    {
      title: t('Size and root'),
      text: (
        <>
          {tr('{count, number} entries: transactions and ends of epochs. Their root: {root}', {
            count: log.size,
            root: (
              <code dir="ltr" className="wrap-anywhere select-all text-ink">
                {log.root}
              </code>
            ),
          })}
        </>
      ),
    },
    { title: t('Dated by'), text: <Dated log={log} /> },
    { title: t('Checkpoint'), text: <Checkpoint log={log} epoch={latest.epoch} /> },
  ]
  return (
    <Part eyebrow={t('Published so far')} title={t('What you can check today')}>
      <div data-figure="proof">
        <Entries entries={entries} />
      </div>
    </Part>
  )
}

function transactionsInWords({ transactions, closedSince }: PublishedLog): string {
  if (closedSince === null) return t('{count, number} so far', { count: transactions })
  return t(
    '{count, number} so far. Since epoch {epoch}, which ended {day}, some are closed: we publish a fingerprint in place of each.',
    { count: transactions, epoch: closedSince.epoch, day: utcDay(closedSince.day) },
  )
}

/** The signed note, and the files. */
function Checkpoint({ log, epoch }: { log: PublishedLog; epoch: number }) {
  return (
    <div className="grid gap-4">
      <p>{t("What we have signed: our log's name, its size and its root.")}</p>
      <pre
        dir="ltr"
        className="wrap-anywhere select-all whitespace-pre-wrap bg-sunken p-4 font-mono text-ink text-xs"
      >
        {log.checkpoint}
      </pre>
      <ul className="flex flex-wrap gap-x-6 gap-y-2">
        <li>
          <FileLink name="checkpoint">{t('Checkpoint')}</FileLink>
        </li>
        <li>
          <FileLink name="vkey">{t('Our public key')}</FileLink>
        </li>
        <li>
          <FileLink name="receipts-vkey">{t('Our public key for receipts')}</FileLink>
        </li>
        {log.replacedKeys > 0 && (
          <li>
            <FileLink name="keys">{t('How we replaced our key')}</FileLink>
          </li>
        )}
        {log.treeLeaves > 0 && (
          <li>
            <FileLink name={`epochs/${epoch}/leaves.bin`}>{t('Balances in parts')}</FileLink>
          </li>
        )}
      </ul>
    </div>
  )
}

function FileLink({ name, children }: { name: string; children: ReactNode }) {
  return (
    <a className="prose-link" href={`${proofPath}/${name}`}>
      {children}
    </a>
  )
}

function Amount({ usd }: { usd: number }) {
  return (
    <strong dir="ltr" className="font-semibold text-ink text-lg tabular-nums">
      {localUsdJson(usd)}
    </strong>
  )
}

/** A signature shows that somebody could sign, and nothing else: the amounts are the firm's word. */
function Proven({ proven }: Pick<ProofOverview, 'proven'>) {
  if (proven === null) return t('We have not proved that we hold any coins.')
  const { value, addresses, day, epoch, isTest } = proven
  return (
    <>
      {tr(
        '{amount} at {addresses, plural, one {one address} other {# addresses}}, sealed at the end of {day}. Each has a signature under a message that names our log and a block. The amounts are ours: look them up on the chain.',
        { amount: <Amount usd={value} />, addresses, day: utcDay(day) },
      )}{' '}
      {isTest && `${t('They are on test networks, where coins are worth nothing.')} `}
      {tr(
        '<signatures>Addresses and signatures</signatures>, <prices>prices and their sources</prices>. Whether the coins are borrowed or pledged, no signature shows.',
        {
          signatures: words => <FileLink name={`epochs/${epoch}/reserves.csv`}>{words}</FileLink>,
          prices: words => <FileLink name={`epochs/${epoch}/reserves-prices.csv`}>{words}</FileLink>,
        },
      )}
    </>
  )
}

function Stated({ stated }: Pick<ProofOverview, 'stated'>) {
  if (stated === null || stated.documents === 0) return t('We list no other assets.')
  const { value, documents, day, epoch } = stated
  return (
    <>
      {tr(
        '{amount} stated in {documents, plural, one {one document} other {# documents}} by the end of {day}. This is our word: ask for the documents, and compare their hashes with <list>this list</list>.',
        {
          amount: <Amount usd={value} />,
          documents,
          day: utcDay(day),
          list: words => <FileLink name={`epochs/${epoch}/assets.csv`}>{words}</FileLink>,
        },
      )}
    </>
  )
}

/** Three lines, because they are proven in different ways. */
function Sides({ latest, proven, stated }: { latest: Epoch } & Pick<ProofOverview, 'proven' | 'stated'>) {
  return (
    <Part
      eyebrow={t('Debts and assets')}
      title={t('What we owe, and what we say we hold')}
      lead={<p>{t('We give no percentage: different evidence backs each of these figures.')}</p>}
    >
      <div data-figure="proof">
        <Entries
          entries={[
            {
              title: t('Owed to investors'),
              text: (
                <>
                  {tr('{amount} on {day}: all that investors have available, on hold and invested.', {
                    amount: <Amount usd={latest.owed} />,
                    day: utcDay(latest.day),
                  })}
                </>
              ),
            },
            { title: t('Coins signed for'), text: <Proven proven={proven} /> },
            { title: t('Other assets, by document'), text: <Stated stated={stated} /> },
          ]}
        />
      </div>
    </Part>
  )
}

const translated = ({ title, text }: { title: string; text: string }) => ({
  title: translate(title),
  text: translate(text),
})

const openBooks = [
  {
    title: msg('Every transaction'),
    text: msg(
      "With its day, accounts and amounts, and without names or times of day. Anyone can see that each one balances, and that investors' money never became anyone's earnings.",
    ),
  },
  {
    title: msg('Totals at the end of each epoch'),
    text: msg(
      'Add up the transactions and you get these totals, to the cent. If one differs, we have published false books.',
    ),
  },
] as const

const closedBooks = [
  {
    title: msg('A fingerprint of every transaction'),
    text: msg(
      "Nobody can read it, and we can't change it: once published, the transaction behind it is fixed. Investors get what opens their own, our auditor what opens all.",
    ),
  },
  {
    title: msg('Totals at the end of each epoch'),
    text: msg(
      "They are our word: you can't add up what you can't read. But we sign them, they must agree with all balances below, and our auditor can prove us wrong with what we published.",
    ),
  },
] as const

const published = [
  {
    title: msg('Every balance, in parts'),
    text: msg(
      'We cut balances into parts, shuffle them and publish them all. Together they are what we owe. Investors find their own parts on their statement; nobody else can tell whose they are.',
    ),
  },
  {
    title: msg('A receipt for each entry'),
    text: msg(
      'Investors get our signed receipt before an entry is published. It names the day by which the entry must be in the log. A receipt without its entry proves our fault, and their devices look for it.',
    ),
  },
  {
    title: msg('A signed checkpoint'),
    text: msg(
      'The root is a fingerprint of the whole log. Change one cent of any past day and it changes. Our signature makes it ours for good.',
    ),
  },
] as const

function Meaning({ isClosed }: { isClosed: boolean }) {
  return (
    <Part eyebrow={t('What it proves')} title={t('What we publish, and what that proves')}>
      <Entries entries={[...(isClosed ? closedBooks : openBooks), ...published].map(translated)} />
    </Part>
  )
}

/** For people who think of opening an account, and for investors. */
function AboutInvestors({ isClosed }: { isClosed: boolean }) {
  return (
    <Part id="about-you" eyebrow={t('Your privacy')} title={t('What we publish about an investor')}>
      <Entries entries={publishedAboutYou(isClosed).map(translated)} />
    </Part>
  )
}

const closedTotals = {
  title: msg('That the totals are right'),
  text: msg(
    "Outsiders can't add up closed transactions, or see that only recorded returns became earnings. Ask who our auditor is, and whether they opened everything.",
  ),
}

const limits = [
  {
    title: msg('That the assets exist'),
    text: msg(
      "The log shows what we owe and what we recorded as received. It doesn't show that we still hold it, or that it is free of other claims.",
    ),
  },
  {
    title: msg('That we have no other debts'),
    text: msg('Loans, guarantees and taxes outside these books are not in the log.'),
  },
  {
    title: msg('Balances of people who never check'),
    text: msg(
      "We could leave out someone who never looks. We can't know who looks, so every check protects the others too.",
    ),
  },
  {
    title: msg('What was never booked'),
    text: msg("A payment that we didn't record is in no log. Keep your own record of it."),
  },
  {
    title: msg('How we treat people'),
    text: msg(
      "Complaints, delays and refusals don't show here. Neither does whether a return was really earned.",
    ),
  },
  {
    title: msg('That this page is honest'),
    text: msg(
      'It comes from us, as everything on this site does. Only a check on your own computer is yours.',
    ),
  },
] as const

function Limits({ isClosed }: { isClosed: boolean }) {
  return (
    <Part id="limits" eyebrow={t('Limits')} title={t('What it does not prove')}>
      <Entries entries={[...(isClosed ? [closedTotals] : []), ...limits].map(translated)} />
    </Part>
  )
}
