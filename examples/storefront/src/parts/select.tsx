import { useId } from 'preact/hooks'
import type { Choice } from '../state/places.ts'

type SelectProps = {
  label: string
  name: string
  value: string
  choices: readonly Choice[]
  onValue: (value: string) => void
  problem?: string
  autocomplete?: string
  class?: string
}

/** A labelled list to choose one from. Nothing is chosen for anybody, unless there is but one. */
export function Select({
  label,
  name,
  value,
  choices,
  onValue,
  problem,
  autocomplete,
  class: where = '',
}: SelectProps) {
  const id = useId()
  return (
    <div class={`field ${where}`}>
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        required
        autocomplete={autocomplete}
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {choices.length > 1 && <option value="">Choose …</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {problem && (
        <small class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </small>
      )}
    </div>
  )
}
