import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: string
  name: string
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'tel'
  problem?: string
  hint?: ComponentChildren
  hideLabel?: boolean
  required?: boolean
  autocomplete?: string
  placeholder?: string
  minLength?: number
  maxLength?: number
  class?: string
}

/** A labelled input that says what is wrong with it. */
export function Field({ label, onValue, problem, hint, hideLabel, type = 'text', ...rest }: FieldProps) {
  const id = useId()
  const about = problem ? `${id}-problem` : hint ? `${id}-hint` : undefined
  // One type for all kinds of input: those of Preact are a union, which a spread does not fit.
  const attributes: Record<string, unknown> = { ...rest, type, class: undefined, maxLength: rest.maxLength ?? 200 }
  return (
    <div class={`field ${rest.class ?? ''}`}>
      <label class={hideLabel ? 'unseen' : undefined} for={id}>
        {label}
      </label>
      <input
        {...attributes}
        id={id}
        aria-invalid={problem ? true : undefined}
        aria-describedby={about}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {problem ? (
        <small class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </small>
      ) : (
        hint && <small id={`${id}-hint`}>{hint}</small>
      )}
    </div>
  )
}
