/** An announcement's text, with its lines. */
export function Paragraphs({ text }: { text: string }) {
  return (
    <p dir="auto" className="max-w-3xl whitespace-pre-line wrap-anywhere">
      {text}
    </p>
  )
}
