/** What was typed, marked in what was found. */
export function Mark({ text, words }: { text: string; words: string }) {
  const wanted = words.trim()
  const at = wanted ? text.toLowerCase().indexOf(wanted.toLowerCase()) : -1
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  )
}
