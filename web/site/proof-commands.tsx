import { msg, t, translate } from '#shared/i18n/t.ts'
import { useFrame } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { Part } from './banner.tsx'
import { proofPath } from './proof-path.ts'

/** Writes all transactions into journal.txt: plain-text accounting, from entries that each follow their length. */
const download = (proof: string) => `proof=${proof}
curl -sf $proof/checkpoint | perl -ne '
  next if $. != 2;
  for ($i = 0; $i * 256 < $_; $i++) {
    ($n, $w) = ($i, $_ - $i * 256);
    $p = sprintf "%03d", $n % 1000;
    $p = sprintf "x%03d/$p", $n % 1000 while $n = int $n / 1000;
    print "'$proof'/tile/entries/$p", $w < 256 ? ".p/$w" : "", "\\n";
  }' | xargs curl -sf | perl -0777 -ne 'print for unpack "(n/a*)*"' > journal.txt`

/** Turns the stated totals into assertions, which these programs check. */
const check = `awk '/^; date: /{d=$3}
  /^; assert: /{print d " * \\"assert\\""; print "  " $3 "  0 " $5 " = " $4 " " $5; print ""; next}
  {print}' journal.txt > checked.txt
hledger -f checked.txt check balancednoautoconversion
ledger -f checked.txt balance`

/** Prints what `; verifier: sha256=` states. */
const sealedVerifier = (proof: string) => `curl -s ${proof}/verifier.tgz | tar -xz
cd package/verifier && LC_ALL=C sha256sum *.mjs | sha256sum`

/** What the latest epoch states of the verifier, from the journal that the download wrote. */
const statedVerifier = "grep '^; verifier:' journal.txt | tail -1"

/** Works without us and without the network, with a copy of the verifier that one has kept. */
const savedProof = 'npx --yes ./verifier.tgz --proof-file saved-proof.json'

const receipt = (proof: string) =>
  `npx --yes ./verifier.tgz ${proof} --receipt receipt.txt --proof-file saved-proof.json`

const standards = [
  [msg('The log, its checkpoint and signature'), 'https://c2sp.org/tlog-tiles', 'C2SP tlog-tiles'],
  [msg('Its hashes'), 'https://www.rfc-editor.org/rfc/rfc6962', 'RFC 6962'],
  [
    msg('Balances in parts'),
    'https://github.com/BitMEX/proof-of-reserves-liabilities',
    msg('BitMEX’s proof of liabilities'),
  ],
] as const

/** How to check the books with our verifier, with other people's programs, or with one's own. */
export function OwnCheck({ isClosed }: { isClosed: boolean }) {
  const { origin } = useFrame()
  const proof = origin + proofPath
  return (
    <Part id="check" night wide eyebrow={t('Your turn')} title={t('Check it in two minutes')}>
      <div className="grid grid-cols-1 gap-x-16 gap-y-12 lg:grid-cols-2">
        <div className="grid grid-cols-1 content-start gap-5">
          <h3 className="display text-xl">{t('With our verifier')}</h3>
          <p className="text-ink-soft">
            {t('It needs Node 20 or newer, and nothing else. A click on a command selects all of it.')}
          </p>
          <Commands label={t('Check with our verifier')} text={`npx --yes ${proof}/verifier.tgz ${proof}`} />
          <p className="text-ink-soft">
            {isClosed
              ? t(
                  "It downloads everything and recomputes every root and tree. Then it says in plain words what holds and what doesn't, and what closed transactions keep it from checking. Investors check their own balance on their statement.",
                )
              : t(
                  "It downloads everything and recomputes every total, root and tree. Then it says in plain words what holds and what doesn't. Investors check their own balance on their statement.",
                )}
          </p>
          <p className="text-ink-soft">
            {tr(
              "Our emails and statements print the log's size and root. Add {option}, and it checks that you were shown this same log.",
              { option: <Code>--seen size:root</Code> },
            )}
          </p>
          <p className="text-ink-soft">
            {tr(
              "That command runs the copy that we have at this moment. To run only what you have read, download it once: it is plain JavaScript without other people's packages. Then run {command} there, with the same address. This prints the hash of your copy:",
              { command: <Code>node verify.mjs</Code> },
            )}
          </p>
          <Commands label={t('Hash of your copy of the verifier')} text={sealedVerifier(proof)} />
          <p className="text-ink-soft">
            {tr(
              'Each epoch seals the hash of the copy that everyone should have. The verifier writes the journal with {option}. The hash is in it:',
              { option: <Code>--journal journal.txt</Code> },
            )}
          </p>
          <Commands label={t('Hash that the latest epoch seals')} text={statedVerifier} />
          <h3 className="display pt-4 text-xl">{t('With a program of your own')}</h3>
          <p className="text-ink-soft">
            {tr(
              "The same package describes every byte, in {file}. Nearly all formats are other people's standards:",
              { file: <Code>docs/proof-format.md</Code> },
            )}
          </p>
          <ul className="grid gap-2 text-ink-soft">
            {standards.map(([what, href, name]) => (
              <li key={href}>
                {translate(what)}:{' '}
                <a className="prose-link" href={href} rel="noopener nofollow">
                  {translate(name)}
                </a>
              </li>
            ))}
          </ul>
        </div>
        <div className="grid grid-cols-1 content-start gap-5">
          <h3 className="display text-xl">{t("With other people's programs")}</h3>
          {isClosed ? <ClosedBooks /> : <OpenBooks proof={proof} />}
          <SavedProof proof={proof} />
        </div>
      </div>
    </Part>
  )
}

function ClosedBooks() {
  return (
    <p className="text-ink-soft">
      {t(
        "Accounting programs can't add up our books, because the transactions are closed. Programs that read C2SP's logs can check that nothing in ours was changed.",
      )}
    </p>
  )
}

function OpenBooks({ proof }: { proof: string }) {
  return (
    <>
      <p className="text-ink-soft">
        {t(
          'Put all transactions into one file. It is a journal that accounting programs such as ledger and hledger read.',
        )}
      </p>
      <Commands label={t('Download of the journal')} text={download(proof)} />
      <p className="text-ink-soft">
        {t('Then let them add it up. They stop with an error if a transaction or a total is wrong.')}
      </p>
      <Commands label={t('Check of the journal')} text={check} />
    </>
  )
}

/** How to check, years later, what an investor has kept. */
function SavedProof({ proof }: { proof: string }) {
  return (
    <>
      <h3 id="saved" className="display pt-4 text-xl">
        {t('A saved proof or a receipt, years later')}
      </h3>
      <p className="text-ink-soft">
        {tr(
          'Keep a copy of {file} beside what you have saved. It checks a saved proof without us and without a network:',
          {
            file: (
              <a dir="ltr" className="prose-link" href={`${proofPath}/verifier.tgz`}>
                verifier.tgz
              </a>
            ),
          },
        )}
      </p>
      <Commands label={t('Check of a saved proof')} text={savedProof} />
      <p className="text-ink-soft">
        {t(
          "With the saved proof, it looks for the line that a receipt promises. Without one, it checks the receipt's signature against the published books.",
        )}
      </p>
      <Commands label={t('Check of a receipt')} text={receipt(proof)} />
    </>
  )
}

/** A word of a command, in one piece. */
function Code({ children }: { children: string }) {
  return (
    <code dir="ltr" className="whitespace-nowrap">
      {children}
    </code>
  )
}

/** Long lines scroll, since a wrapped one reads as two. @param label for screen readers */
function Commands({ label, text }: { label: string; text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      dir="ltr"
      className="overflow-x-auto bg-sunken p-4"
    >
      <pre className="w-max select-all font-mono text-sm">{text}</pre>
    </section>
  )
}
