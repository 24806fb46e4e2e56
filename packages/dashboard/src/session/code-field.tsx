import { useEffect, useRef } from 'react'
import { Field } from '../ui/field.tsx'

const LENGTH = 6

type Props = {
  label: string
  code: string
  onChange: (code: string) => void
  /** All six are there. */
  onWhole: (code: string) => void
  /** Whether something else comes before it. */
  isLater?: boolean
  problem?: string | undefined
  hint?: string | undefined
}

/** Six digits of an app. Pasted ones may have spaces. It is sent as soon as it is whole; a wrong one is typed over. */
export function CodeField({ label, code, onChange, onWhole, isLater = false, problem, hint }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (problem) field.current?.select()
  }, [problem])
  return (
    <Field
      ref={field}
      label={label}
      name="code"
      className="six-digits"
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus={!isLater}
      required
      spellCheck={false}
      value={code}
      problem={problem}
      hint={hint}
      onChange={({ target }) => {
        const next = target.value.replaceAll(/\D/g, '').slice(0, LENGTH)
        onChange(next)
        if (next.length === LENGTH && next !== code) onWhole(next)
      }}
    />
  )
}
