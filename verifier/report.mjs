// @ts-check
import { base64 } from './bytes.mjs'
import { CHECKS } from './findings.mjs'
import { amountIn, decimal } from './journal.mjs'
import { dollars } from './site-figures.mjs'

/** What a verification found, in words and as JSON. */

/** @typedef {import('./audit.mjs').Audit} Audit */
/** @typedef {import('./findings.mjs').Check} Check */

const SIGNS = { holds: '✓', fails: '✗', unknown: '?', 'not made': '–' }

/** What each check is about, where it does not hold. @type {Record<Check, string>} */
const NAMES = {
  key: "The log's key",
  signature: 'Signature of the checkpoint',
  history: 'History since your last visit',
  log: 'Leaves and hashes',
  journal: 'Transactions',
  tags: 'Tags of investor lines',
  epochs: 'Epochs',
  totals: 'Totals',
  checkpoints: 'Checkpoints of the epochs',
  liabilities: 'Balances of investors',
  documents: 'Documents',
  reserves: 'Reserves',
  receipts: 'Receipts',
  seen: 'Sizes and roots that you were shown',
  stamps: 'Time stamps',
  witnesses: 'Witnesses',
  figures: 'Figures of the site',
  opening: 'Opening',
}

/** @param {Audit} audit */
export function exitCode({ findings }) {
  if (findings.failures.length > 0) return 1
  return findings.missing.length > 0 ? 2 : 0
}

/** What the leaves show that are closed, in words. @param {Audit} audit */
function closedLines({ log }) {
  if (log === null || log.closed === 0) return []
  const count = log.closed.toLocaleString('en-US')
  return [
    `Closed: ${count} of ${(log.closed + log.books.transactions).toLocaleString('en-US')} transactions, since epoch ${log.closedSince}. The log has a hash in place of each.`,
    "  So you cannot add up the journal: the totals are the firm's word, which it has signed and cannot change.",
    '  Its auditor can open them all (--opening), and each investor their own (--proof-file).',
  ]
}

/**
 * What a check that holds has shown.
 * @param {Check} check
 * @param {Audit} audit
 */
function holding(check, audit) {
  const {
    key,
    firstSeen,
    checkpoint,
    previous,
    log,
    policy,
    witnesses,
    siteFigures,
    receipts,
    seen,
    opening,
  } = audit
  const epochs = log?.epochs ?? []
  const newest = epochs.at(-1)
  const count = (/** @type {number} */ number, /** @type {string} */ one, many = `${one}s`) =>
    `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
  const trees = epochs.filter(({ liabilities }) => liabilities !== null).length
  const documents = epochs.filter(({ evidence }) => evidence !== null).length
  /** @type {Record<Check, () => string>} */
  const texts = {
    key: () =>
      firstSeen
        ? `The log's key is pinned from now on: ${key.vkey}`
        : `The log's key is the one pinned: ${key.vkey}`,
    signature: () =>
      `The checkpoint of ${count(checkpoint?.size ?? 0, 'leaf', 'leaves')} is signed by ${key.name}`,
    history: () =>
      previous === null
        ? 'First visit: there is no earlier checkpoint to compare with. This one is kept'
        : `The log continues the checkpoint of ${count(previous.size, 'leaf', 'leaves')} that you saw last`,
    log: () =>
      `${count(log?.size ?? 0, 'leaf', 'leaves')} and ${count(log?.tilesRead ?? 0, 'tile')} of hashes give the root ${base64(checkpoint?.root ?? new Uint8Array())}`,
    journal: () =>
      log?.books.transactions === 0 && log.closed > 0
        ? 'Every transaction is closed: none could be checked'
        : `${count(log?.books.transactions ?? 0, 'transaction')}: each balances in each commodity, is permitted by the rules of the books, and is in the order of dates. No investor's money became recorded returns, and no more was paid from them than was recorded`,
    tags: () =>
      `${count(log?.tags.size ?? 0, 'investor line')}${log?.closed ? ' in open leaves' : ''}, each with its own tag`,
    epochs: () =>
      `${count(epochs.length, 'epoch')} from ${epochs[0]?.date} to ${newest?.date}, no number and no day missing`,
    totals: () =>
      log?.closed
        ? 'The totals that the firm states add up to zero in each commodity. None that must not be is negative'
        : 'Every total at the end of every epoch is the sum of the journal',
    checkpoints: () => `Every epoch has its signed checkpoint, and each is the beginning of this log`,
    liabilities: () =>
      newest?.liabilities
        ? `${count(trees, 'tree')} of liabilities recomputed. The newest has ${count(newest.liabilities.leaves, 'part')} of balances that add up to ${dollars(newest.liabilities.sum)}, ${log?.closed ? 'the stated' : "the journal's"} total`
        : `${count(trees, 'tree')} of liabilities recomputed. Nobody has a balance now`,
    documents: () =>
      documents === 0
        ? 'No epoch names documents of evidence'
        : `${count(documents, 'list')} of evidence, each as it was sealed`,
    reserves: () => reservesHold(audit),
    receipts: () =>
      receipts.length === 0
        ? `The key of receipts is sealed in the log: ${newest?.receipts}`
        : `${count(receipts.length, 'receipt')}, each signed with the key that the log seals`,
    seen: () =>
      seen.length === 1
        ? 'The log continues the size and root that you were shown before'
        : `The log continues the ${seen.length} sizes and roots that you were shown before`,
    stamps: () => stampsInWords(audit),
    witnesses: () =>
      policy === 'given'
        ? `Your policy accepts the checkpoint. ${witnesses.map(witnessInWords).join('; ') || 'It asks for no witness'}`
        : `The witnesses that the firm names have cosigned (--policy names yours). ${witnesses.map(witnessInWords).join('; ')}`,
    figures: () => `The figures of the site are those of the log: ${equalFigures(siteFigures)}`,
    opening: () =>
      `${opening?.texts ? `${count(opening.texts, 'closed transaction')} opened, each as it was sealed. ` : ''}${count(opening?.lines ?? 0, 'line')} of ${count(opening?.owners ?? 0, 'investor')} opened: each tag recomputed but those of erased secrets (${opening?.erased ?? 0}), no entry missing, each balance equal to its ${count(opening?.parts ?? 0, 'part')} of the newest tree, each part recomputed but those of erased secrets (${opening?.erasedParts ?? 0})`,
  }
  return texts[check]()
}

/** How many are those of the log, in each place. @param {Audit['siteFigures']} siteFigures */
function equalFigures(siteFigures) {
  const equal = siteFigures.filter(({ state }) => state === 'equal')
  const places = new Set(equal.map(({ place }) => place))
  return [...places]
    .map(place =>
      `${equal.filter(one => one.place === place).length} in its ${place}`.replace(
        'in its home',
        'on its home',
      ),
    )
    .join(', ')
}

/** @param {Audit} audit */
function stampsInWords({ stamps }) {
  const newest = stamps.at(-1)
  if (newest === undefined) return 'No epoch has a time stamp'
  const { epoch, authority, time, isTrusted } = newest
  const at = `${time.slice(0, 16).replace('T', ' ')} UTC`
  return isTrusted
    ? `${stamps.length} time stamps of the authorities that you trust. ${authority} confirms that epoch ${epoch} was there on ${at}, and so all before it`
    : `${stamps.length} time stamps, each over its epoch's checkpoint. The newest, of epoch ${epoch}, says ${at}; whose they are was not checked (--tsa), it names ${authority}`
}

/** @param {import('./note.mjs').Cosignature} cosignature */
function witnessInWords({ name, time }) {
  return `${name} cosigned on ${new Date(time * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/**
 * The newest of each, by epoch.
 * @param {Audit} audit
 */
function newestAssets({ assets: { reserves, stated } }) {
  const newest = (/** @type {Map<number, any>} */ map) =>
    [...map.keys()].reduce((most, epoch) => Math.max(most, epoch), 0)
  const [proven, listed] = [newest(reserves), newest(stated)]
  return { proven: reserves.get(proven) ?? null, listed, stated: stated.get(listed) ?? [] }
}

/** @param {Audit} audit */
function reservesHold(audit) {
  const { proven } = newestAssets(audit)
  if (proven === null) return 'The firm has not proved that it holds any coins'
  const unchecked = proven.unchecked.length
  const signed = `${proven.addresses - unchecked} of ${proven.addresses} addresses have signed a message that names this log, its epoch ${proven.signedFor} and the blocks ${proven.blocks}`
  return unchecked === 0
    ? signed
    : `${signed}. This verifier cannot check the signatures of ${proven.unchecked.join(', ')}: a contract's needs a node`
}

/** Three lines, each proven in another way. @param {Audit} audit */
function assetLines(audit) {
  const { log } = audit
  if (log === null || !log.rootHolds || audit.findings.state('reserves') === 'fails') return []
  const { proven, stated, listed } = newestAssets(audit)
  const { coins = [], uncheckedCoins = [] } = proven ?? {}
  return [
    'What the firm shows that it has, and what it owes. Different evidence backs each figure, so a percentage of them would mean nothing.',
    ...(proven === null
      ? ['  The firm has not proved that it holds any coins.']
      : [
          row(`Coins signed for, sealed in epoch ${proven.epoch}`, proven.cents),
          ...(proven.isTest ? ['    They are of a test network: they are worth nothing.'] : []),
        ]),
    ...coins.map(holdingLine),
    ...(uncheckedCoins.length === 0
      ? []
      : [row('Stated, signature not checked', proven?.uncheckedCents ?? 0n)]),
    ...uncheckedCoins.map(holdingLine),
    ...(stated.length === 0
      ? ['  The firm states no other assets.']
      : [row(`Other assets, stated in epoch ${listed}`, sumOf(stated))]),
    ...stated.map(
      ({ title, cents, asOf, source, sha256 }) =>
        `    ${dollars(cents)}: ${title}, as of ${asOf}, by ${source}; document ${sha256}`,
    ),
    row('Owed to investors', log.figures().investors),
    ...(proven === null
      ? []
      : [
          '  A signature shows that somebody could sign then. It does not show that the coins are not borrowed, pledged or owed to',
          '  others. That they were there in those blocks, any explorer of the network tells.',
        ]),
  ]
}

/** @param {import('./reserves.mjs').Holding} holding */
function holdingLine({ coin, network, units, cents, price }) {
  const value =
    price === null
      ? 'no price is stated'
      : `${dollars(cents)} at ${decimal(price.priceE8, 'BTC')} USD (${price.sources}, ${price.readAt})`
  return `    ${amountIn({ commodity: coin, amount: units })} on ${network}: ${value}`
}

/**
 * @param {string} label
 * @param {bigint} cents
 */
function row(label, cents) {
  return `  ${label.padEnd(42)}${dollars(cents).padStart(20)}`
}

/** @param {readonly { cents: bigint }[]} items */
function sumOf(items) {
  return items.reduce((sum, { cents }) => sum + cents, 0n)
}

/**
 * @param {Audit} audit
 * @param {boolean} [isOwnChecked] true if an investor's saved proof was checked with it
 */
export function reportText(audit, isOwnChecked = false) {
  const parts = [
    heading(audit),
    CHECKS.flatMap(check => checkLines(check, audit)),
    closedLines(audit),
    evidenceLines(audit),
    blameLines(audit),
    receiptLines(audit),
    figureLines(audit),
    assetLines(audit),
    witnessLines(audit),
    comparedLines(audit),
    audit.findings.remarks.length > 0 ? ['Note:', ...audit.findings.remarks.map(text => `  ${text}`)] : [],
    meaning(audit, isOwnChecked),
  ]
  return `${parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`
}

/** @param {Audit} audit */
function heading(audit) {
  const { key, place, log } = audit
  const verdict = [
    log?.closed
      ? `What can be seen holds, but ${log.closed === 1 ? 'a transaction of' : `${log.closed.toLocaleString('en-US')} transactions of`} ${key.name} cannot: they are closed.`
      : `All holds: the books that ${key.name} publishes agree with themselves.`,
    ownFailure(audit) ??
      `NOT ALL HOLDS: ${audit.findings.failures.length === 1 ? 'something is' : 'several things are'} wrong with what ${key.name} publishes.`,
    `NOT VERIFIED: some of what ${key.name} publishes could not be read or checked.`,
  ][exitCode(audit)]
  return [verdict ?? '', `Read at ${place}`]
}

/** @type {[import('./findings.mjs').Subject, string][]} */
const OWN_FAILURES = [
  ['quorum', "your policy's witnesses have not cosigned them"],
  ['policy', 'your policy is for another log, or cannot be read'],
  ['promise', 'the firm has not kept what it promised in a signed receipt'],
  ['receipt', 'a receipt that you gave is not valid, which says nothing about the books'],
]

/** What fails, if it is only what this visitor has asked for or brought, and not the books. @param {Audit} audit */
function ownFailure({ findings: { subjects, missing }, key, log }) {
  if (subjects.has('books')) return null
  const own = OWN_FAILURES.filter(([subject]) => subjects.has(subject))
  const failures = own.map(([, words]) => words).join('; and ')
  if (missing.length > 0)
    return `Some of what ${key.name} publishes could not be read or checked, and ${failures}.`
  const books = log?.closed
    ? `What can be seen of the books that ${key.name} publishes agrees with itself`
    : `The books that ${key.name} publishes agree with themselves`
  return `${books}, but ${failures}.`
}

/**
 * @param {Check} check
 * @param {Audit} audit
 */
function checkLines(check, audit) {
  const { findings } = audit
  const state = findings.state(check)
  if (state === 'not made') return []
  if (state === 'holds') return [`  ${SIGNS.holds} ${holding(check, audit)}.`]
  const found = [...findings.failures, ...findings.missing].filter(finding => finding.check === check)
  const more = findings.count(check) - found.length
  return [
    `  ${SIGNS[state]} ${NAMES[check]}${state === 'fails' ? '' : ': not known'}`,
    ...found.map(({ message }) => `      ${message}`),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ]
}

/** @param {Audit} audit */
function evidenceLines({ evidence, contradicting, checkpoint }) {
  if (evidence.length === 0 || checkpoint === null) return []
  return [
    'These checkpoints are signed with the same key. Together they prove that two histories were shown. Keep them, and show them to others:',
    '',
    ...contradicting.map(({ note }) => note),
    checkpoint.note,
    ...evidence.map(file => `  kept in ${file}`),
  ]
}

/** Whom to tell, if somebody holds something that contradicts the log. @param {Audit} audit */
function blameLines({ findings, key }) {
  const firm = key.name.split('/')[0]
  const isBlamed = findings.subjects.has('promise') || findings.state('seen') === 'fails'
  if (!isBlamed && !findings.subjects.has('receipt')) return []
  if (!isBlamed)
    return [
      `A receipt that is not valid may be cut off or changed, or not from ${firm}. Get it again, from your statement.`,
    ]
  return [
    `Keep the receipt, email or statement as you got it, and what this command printed. Ask ${firm} to explain it.`,
    'A receipt with their signature and no line in the log proves their fault: show it to your lawyer or to the regulator.',
  ]
}

/** What each receipt is worth now. @param {Audit} audit */
function receiptLines({ receipts, log }) {
  const date = log?.epochs.at(-1)?.date
  const words = {
    sealed: 'its line is in the log',
    'not due': `its line is not in the log up to ${date}, and need not be yet`,
    signed: "signed. Whether its line is in the log, only its owner's saved proof shows (--proof-file)",
  }
  return receipts.map(({ name, words: what, state }) => `  ${name}: ${what}: ${words[state]}.`)
}

/** @param {Audit} audit */
function figureLines({ log, siteFigures }) {
  if (log === null || !log.rootHolds) return []
  const figures = log.figures()
  const rows = [
    ['Received from investors, less reversals', dollars(figures.received)],
    ['Withdrawals paid', dollars(figures.withdrawn)],
    ['Earnings paid', dollars(figures.earningsPaid)],
    ['Returns recorded', dollars(figures.returnsRecorded)],
    ['Returns not paid out yet', dollars(figures.returnsLeft)],
    ['Owed to investors', dollars(figures.investors)],
    ['  available', dollars(figures.available)],
    ['  on hold', dollars(figures.held)],
    ['  invested', dollars(figures.invested)],
    ['Owed by investors (reversed deposits)', dollars(figures.receivable)],
    ...figures.coins.map(balance => ['Coins received into custody', amountIn(balance)]),
  ]
  const later = siteFigures.filter(({ state }) => state === 'later')
  const stated = new Set(
    siteFigures.filter(({ state }) => state === 'stated').map(({ label, value }) => `"${label}" as ${value}`),
  )
  return [
    `${log.closed > 0 ? 'As the firm states them' : 'Computed from the journal'}, as of ${log.epochs.at(-1)?.date ?? 'its last leaf'}:`,
    ...rows.map(([label = '', value = '']) => `  ${label.padEnd(42)}${value.padStart(20)}`),
    ...later.map(
      ({ place, label, value, asOf }) =>
        `  Not compared: the site's ${place} shows "${label}" as ${value} on ${asOf}, after the last epoch's end.`,
    ),
    ...(stated.size === 0
      ? []
      : [
          `  Not compared, because the site says that they are not from its books: ${[...stated].join('; ')}.`,
        ]),
  ]
}

/** @param {Audit} audit */
function witnessLines({ checkpoint, witnesses, absentWitnesses, unknownCosigners }) {
  if (checkpoint === null) return []
  const absent = absentWitnesses.map(name => `Not witnessed: ${name} has not cosigned this checkpoint.`)
  if (witnesses.length === 0 && unknownCosigners.length === 0)
    return [
      'Nobody else has cosigned this checkpoint. Compare its root with somebody else who visits this log.',
      ...absent,
    ]
  const unknown =
    unknownCosigners.length > 0
      ? [
          `Not checked, because no policy names their keys (--policy): cosignatures of ${unknownCosigners.join(', ')}.`,
        ]
      : []
  return [
    ...witnesses.map(cosignature => `Witnessed: ${witnessInWords(cosignature)}.`),
    ...absent,
    ...unknown,
  ]
}

/** What the witnesses say that they hold. @param {Audit} audit */
function comparedLines({ compared }) {
  return compared.flatMap(({ name, size, state, problem }) => {
    if (state === 'unknown') return [`Not compared with what ${name} holds: ${problem}.`]
    return state === 'same'
      ? [`Compared: ${name} holds a checkpoint of ${size} leaves of this same log.`]
      : []
  })
}

/**
 * @param {Audit} audit
 * @param {string} but
 */
function unchanged({ previous }, but) {
  return [
    previous === null
      ? `  From now on you will notice if anything in it is changed, removed or inserted${but}.`
      : `  Nothing in it has been changed, removed or inserted since you first saw it${but}.`,
  ]
}

/**
 * @param {Audit} audit
 * @param {boolean} isOwnChecked
 */
function meaning(audit, isOwnChecked) {
  const since = audit.log?.epochs[0]
  if (exitCode(audit) !== 0 || since === undefined) return []
  return [
    'What this proves',
    `  The epochs of the journal begin on ${since.date}. Only stamps and cosignatures show how early each was signed: the firm
  writes its own dates.`,
    ...(audit.log?.closed
      ? [
          ...unchanged(audit, ', though you cannot read all of it'),
          '  The balances of all investors are in the total that the firm states, none of them negative.',
        ]
      : [
          ...unchanged(audit, ''),
          '  Every total follows from it.',
          '  Earnings were paid from recorded returns only. The balances of all investors are in the total, none of them negative.',
        ]),
    'What this does not prove',
    ...(isOwnChecked
      ? []
      : [
          '  That your own balance is in it: check that with your saved proof (--proof-file), or on your dashboard.',
        ]),
    ...(audit.log?.closed
      ? ["  That the totals are those of the closed transactions: only the auditor's opening shows that."]
      : []),
    '  That recorded returns were earned, that coins are free of other claims, or that everything that happened is in the',
    '  books: these need documents, and people who look at them.',
    '  That everybody sees this same log: witnesses, or comparing the root with others, show that.',
  ]
}

/** @param {Audit} audit */
export function reportJson(audit) {
  const { findings, key, checkpoint, previous, log } = audit
  const epochs = log?.epochs ?? []
  const figures = log?.rootHolds ? log.figures() : null
  return {
    holds: exitCode(audit) === 0,
    exitCode: exitCode(audit),
    place: audit.place,
    origin: key.name,
    vkey: key.vkey,
    checkpoint: checkpoint && { size: checkpoint.size, root: base64(checkpoint.root), note: checkpoint.note },
    previous: previous && { size: previous.size, root: base64(previous.root), note: previous.note },
    evidence: audit.evidence,
    checks: CHECKS.map(check => ({ check, state: findings.state(check), failures: findings.count(check) })),
    failures: findings.failures,
    missing: findings.missing,
    remarks: findings.remarks,
    epochs: {
      count: epochs.length,
      first: epochs[0]?.date ?? null,
      last: epochs.at(-1)?.date ?? null,
      missingDays: log?.missingDays ?? [],
    },
    closed: log === null ? null : { transactions: log.closed, since: log.closedSince },
    figures:
      figures &&
      Object.fromEntries(
        Object.entries(figures).map(([name, figure]) => [
          name,
          typeof figure === 'bigint' ? decimal(figure, 'USD') : figure.map(amountIn),
        ]),
      ),
    siteFigures: audit.siteFigures,
    reserves: reservesJson(audit),
    receipts: audit.receipts.map(({ name, state }) => ({ name, state })),
    stamps: audit.stamps,
    policy: audit.policy,
    witnesses: audit.witnesses,
    absentWitnesses: audit.absentWitnesses,
    unknownCosigners: audit.unknownCosigners,
    heldByWitnesses: audit.compared,
  }
}

/** @param {Audit} audit */
function reservesJson(audit) {
  const { proven, stated } = newestAssets(audit)
  return {
    proven: proven && {
      epoch: proven.epoch,
      signedFor: proven.signedFor,
      blocks: proven.blocks,
      usd: decimal(proven.cents, 'USD'),
      addresses: proven.addresses,
      coins: proven.coins.map(holdingJson),
      unchecked: proven.unchecked,
      uncheckedUsd: decimal(proven.uncheckedCents, 'USD'),
      uncheckedCoins: proven.uncheckedCoins.map(holdingJson),
    },
    stated: stated.map(({ cents, ...asset }) => ({ ...asset, usd: decimal(cents, 'USD') })),
  }
}

/** @param {import('./reserves.mjs').Holding} holding */
function holdingJson({ coin, network, units, cents }) {
  return { coin, network, amount: decimal(units, coin), usd: decimal(cents, 'USD') }
}

/**
 * What a saved proof shows.
 * @param {import('./investor.mjs').Outcome} outcome
 * @param {number} transactions
 * @param {{ sealed: number, pending: number, earlier: number }} receipts
 */
export function proofText({ checkpoint, epoch, email, balances, total }, transactions, receipts) {
  const { sealed, pending, earlier } = receipts
  const published = dollars(epoch.liabilities?.sum ?? 0n)
  return [
    `${earlier > 0 ? 'Not all receipts could be checked. Otherwise all holds' : 'All holds'}: the balance of ${dollars(total)} on ${epoch.date} is part of the published total of ${published}.`,
    '',
    `  ✓ The checkpoint of ${checkpoint.size} leaves is signed by ${checkpoint.origin}.`,
    `  ✓ ${transactions} ${transactions === 1 ? 'transaction' : 'transactions'} of this investor are in its journal, none left out and none changed.`,
    `  ✓ They end at ${dollars(balances.available)} available, ${dollars(balances.held)} on hold and ${dollars(balances.invested)} invested.`,
    ...(sealed > 0 ? [`  ✓ Receipts whose line is in its journal: ${sealed}.`] : []),
    ...(earlier > 0
      ? [
          `  – Receipts with another key than the one this proof seals: ${earlier}. Check them against the whole log (--receipt).`,
        ]
      : []),
    ...(pending > 0
      ? [
          `  – Receipts that this proof is too old to show: ${pending}. Check them with a later one, or against the whole log.`,
        ]
      : []),
    `  ✓ This balance is in the tree of all balances of epoch ${epoch.epoch}, bound to ${email}: whose address that was, only they know.`,
    '',
  ].join('\n')
}
