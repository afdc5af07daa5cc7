/** What a person wrote, with its lines. */
export function WrittenText({ children }: { children: string }) {
  return (
    <p dir="auto" className="wrap-anywhere max-w-3xl whitespace-pre-line">
      {children}
    </p>
  )
}
