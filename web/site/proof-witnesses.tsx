import type { ProofOverview } from '#shared/contract/proof.ts'
import { t } from '#shared/i18n/t.ts'
import { tr } from '#web/tr.ts'
import { Entries, Part } from './banner.tsx'
import { proofPath } from './proof-path.ts'
import { utcTime } from './utc.ts'

type Cosigner = NonNullable<ProofOverview['log']>['cosigners'][number]

/** Who else has signed the checkpoints, or that nobody has. */
export function Cosigners({ cosigners }: { cosigners: Cosigner[] }) {
  const isNobody = cosigners.length === 0
  return (
    <Part
      eyebrow={t('Who else signs')}
      title={isNobody ? t('Nobody outside the firm has cosigned yet') : t('Who has cosigned our checkpoints')}
    >
      <div className="grid max-w-2xl gap-5 text-ink-soft">
        {isNobody ? <Nobody /> : <Named cosigners={cosigners} />}
        <p>
          {t(
            "You can also compare for yourself. Keep the size and root from this page, and compare them with other people's. Emails, forums or a friend's screen will do. The verifier below keeps what it saw, and checks next time that the log continues it.",
          )}
        </p>
        <p>
          {t(
            'Two checkpoints with our signature that contradict each other prove our fault. Nobody can deny them.',
          )}
        </p>
      </div>
    </Part>
  )
}

function Nobody() {
  return (
    <p>
      {t(
        "A witness is somebody independent who signs our checkpoint only if it continues the last one. We have none yet. So we could show different people different histories, and on your own, you wouldn't notice.",
      )}
    </p>
  )
}

function Named({ cosigners }: { cosigners: Cosigner[] }) {
  const witnesses = cosigners.filter(({ kind }) => kind === 'witness')
  const auditors = cosigners.filter(({ kind }) => kind === 'auditor')
  return (
    <>
      {witnesses.length === 0 ? <Nobody /> : <Witnesses witnesses={witnesses} />}
      {auditors.length > 0 && <Auditors auditors={auditors} />}
    </>
  )
}

function Witnesses({ witnesses }: { witnesses: Cosigner[] }) {
  return (
    <>
      <p>
        {t(
          "A witness signs our checkpoint only if it continues the last one that it signed. So we can't show you a different history from the one it saw.",
        )}
      </p>
      <Entries entries={witnesses.map(entryOf)} />
      <p>
        {tr(
          "This page can't show who runs a witness, or that they are independent of us. Get their key from them, and compare it with the one in <a>our list of witnesses</a>.",
          {
            a: words => (
              <a className="prose-link" href={`${proofPath}/policy`}>
                {words}
              </a>
            ),
          },
        )}
      </p>
    </>
  )
}

function Auditors({ auditors }: { auditors: Cosigner[] }) {
  return (
    <>
      <p>
        {t(
          "An auditor got every investor's line opened: whose it is, by number in place of a name. They signed after recomputing all lines and comparing every investor's balance with its published parts. They didn't check that each investor is a real person.",
        )}
      </p>
      <Entries
        entries={auditors.map(auditor => {
          const { title, text } = entryOf(auditor)
          return { title, text: `${t('Recomputed with all lines opened.')} ${text}` }
        })}
      />
      <p>
        {t(
          "This page can't show who an auditor is, or that they are independent of us. Ask them yourself whether they signed.",
        )}
      </p>
    </>
  )
}

function entryOf({ name, epoch, time }: Cosigner) {
  return {
    title: name,
    text: t('Last cosigned epoch {epoch, number}, on {time}.', { epoch, time: utcTime(time) }),
  }
}
