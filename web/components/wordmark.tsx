/** The firm's logo and name (styles/base.css); without a logo of its own, the product's: two equal bars on one line, a balance. */
export function Wordmark({ name }: { name: string }) {
  return (
    <span className="wordmark">
      <svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor">
        <path d="M2 20.5h20V22H2z" />
        <path d="M4 6.5h6v12H4z" />
        <path d="M14 2h6v16.5h-6z" opacity=".55" />
      </svg>
      {name}
    </span>
  )
}
