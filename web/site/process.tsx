const steps = [
  {
    name: 'Create an account',
    text: 'Name, email, country, phone. A six-digit code proves that the address is yours. It costs nothing and binds you to nothing.',
  },
  {
    name: 'Pick an investment plan',
    text: 'Every plan says its range, its duration and its target. Pay by Bitcoin or USDT, or from your balance, and see the payment in your statement.',
  },
  {
    name: 'Start earning',
    text: 'Earnings are credited when the firm has realised a return, and each one names it. Withdraw to your own wallet whenever you like.',
  },
] as const

/** The journey in three steps (P-05). */
export function Process() {
  return (
    <ol className="grid gap-8 md:grid-cols-3">
      {steps.map(({ name, text }, place) => (
        <li key={name} className="grid content-start gap-3 border-rule border-t pt-5">
          <span aria-hidden="true" className="display text-3xl text-accent tabular-nums">
            {place + 1}
          </span>
          <h3 className="font-semibold text-lg">{name}</h3>
          <p className="text-ink-soft">{text}</p>
        </li>
      ))}
    </ol>
  )
}
