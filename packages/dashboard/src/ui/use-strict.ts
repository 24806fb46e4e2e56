import { useState } from 'react'
import { flushSync } from 'react-dom'

/** Fields with a problem, and what follows a message that is not about one field. */
const MARKED = ':is([aria-invalid="true"], [data-invalid] ~ * input:not(:disabled))'

/**
 * For a form whose submit button is always enabled: `mark` shows what is missing (`isStrict`) and moves to the first field that
 * is marked. `within` is a selector of the page or sheet.
 */
export function useStrict(within = 'main') {
  const [isStrict, setStrict] = useState(false)
  const mark = () => {
    flushSync(() => setStrict(true))
    const first = document.querySelector<HTMLElement>(`${within} ${MARKED}`)
    first?.scrollIntoView({ block: 'center' })
    first?.focus({ preventScroll: true })
  }
  return { isStrict, mark }
}
