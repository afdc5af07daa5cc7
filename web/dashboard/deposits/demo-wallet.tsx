import { useId } from 'react'
import { type DemoPart, payFromDemoWallet } from '#shared/contract/demo.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Button } from '#web/ui/button.tsx'

const others = [
  ['half', msg('Pay only half')],
  ['more', msg('Pay half too much')],
] as const satisfies [DemoPart, string][]

/** Pays a deposit on the demonstration's local chain, optionally too little or too much. */
export default function DemoWallet({ deposit }: { deposit: Deposit }) {
  const id = useId()
  const { run, pending } = useMutation(payFromDemoWallet)
  const { method, status, seen, missing } = deposit
  const isWanted = missing !== null || (status === 'pending' && seen === null)
  if (method !== 'ethereum' || !isWanted) return null
  const pay = (part: DemoPart) => void run({ params: { id: deposit._id }, body: { part } })
  return (
    <section aria-labelledby={id} className="grid gap-3 rounded-sm border border-rule bg-sunken p-4">
      <h3 id={id} className="font-medium">
        {t('Pay in this demonstration')}
      </h3>
      <p className="text-ink-soft text-sm">
        {t('This demonstration runs its own local chain with a test wallet. No real money moves.')}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button busy={pending} onClick={() => pay('all')}>
          {seen === null ? t('Pay from the demo wallet') : t('Pay the rest from the demo wallet')}
        </Button>
        {seen === null &&
          others.map(([part, label]) => (
            <Button key={part} tone="quiet" busy={pending} onClick={() => pay(part)}>
              {translate(label)}
            </Button>
          ))}
      </div>
    </section>
  )
}
