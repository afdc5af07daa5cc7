import { useRef, useState } from 'react'
import { type RailName, railLabels, railNames } from '#shared/coins.ts'
import { prepareReserves, type ReserveList } from '#shared/contract/reserves.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { addressLength } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, fieldError, SubmitButton } from '#web/ui/form.tsx'
import { Checkbox, Textarea } from '#web/ui/input.tsx'

/** Addresses of a proof: those that we know, and typed ones. */
export function NewProof({ known }: { known: ReserveList['known'] }) {
  const [done, setDone] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const { run, pending, error } = useMutation(prepareReserves, { onSuccess: () => setDone(done + 1) })
  const chosen = () => {
    const boxes = place.current?.querySelectorAll<HTMLInputElement>('[name=known]:checked') ?? []
    return [...boxes]
      .map(({ value }) => known[Number(value)]!)
      .map(({ rail, address }) => ({ rail, address }))
  }
  const all = ({ addresses }: { addresses: string }) => [...chosen(), ...typedIn(addresses)]
  return (
    <div ref={place}>
      <Form
        key={done}
        fields={['addresses']}
        check={values => {
          const none = known.length > 0 ? t('Choose or enter an address') : t('Enter an address')
          const words = all(values).length === 0 ? none : wrongIn(values.addresses)
          return words === undefined ? undefined : fieldError('addresses', words)
        }}
        onSubmit={values => void run({ body: { addresses: all(values) } })}
        pending={pending}
        error={error}
        className="max-w-3xl"
      >
        <p className="text-ink-soft text-sm">
          {t(
            'A worker reads what these addresses hold. It then writes a message that names our latest epoch and a block of each network. Signed addresses become public: choose none that you want to keep apart from the firm.',
          )}
        </p>
        {known.length > 0 && (
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-medium">{t('Addresses we know')}</legend>
            {known.map(({ rail, address, about }, at) => (
              <Checkbox key={`${rail} ${address}`} name="known" value={at}>
                <span className="wrap-anywhere">
                  {tr('{address} <about>({network}, {kind})</about>', {
                    address: <bdi dir="ltr">{address}</bdi>,
                    network: railLabels[rail],
                    about: words => <span className="text-ink-faint">{words}</span>,
                    kind: languageNow() === sourceLanguage ? about.toLowerCase() : about,
                  })}
                </span>
              </Checkbox>
            ))}
          </fieldset>
        )}
        <Field
          name="addresses"
          label={known.length > 0 ? t('Other addresses') : t('Addresses')}
          optional={known.length > 0}
          hint={t('One on each line.')}
        >
          <Textarea
            dir="ltr"
            rows={3}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-sm"
            autoFocus={done > 0}
          />
        </Field>
        <FormRefusal />
        <div>
          <SubmitButton className="whitespace-normal!">
            {t('Read balances and write the message')}
          </SubmitButton>
        </div>
      </Form>
    </div>
  )
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 20)}…` : text)

/** The first text that is too short or too long for an address, in words. */
function wrongIn(text: string): string | undefined {
  const { least, most } = addressLength
  const wrong = typedIn(text).find(({ address: { length } }) => length < least || length > most)
  return wrong && t('{text} is not an address', { text: shortened(wrong.address) })
}

function typedIn(text: string): { rail: RailName; address: string }[] {
  return text.split(/\s+/).flatMap(address => (address === '' ? [] : [{ rail: railOf(address), address }]))
}

function railOf(address: string): RailName {
  if (address.startsWith('0x')) return 'ethereum'
  return /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address) ? 'usdt' : railNames[0]
}
