import { TriangleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Icon } from './icon.tsx'

type Around = { label: ReactNode; hint?: ReactNode; problem?: ReactNode; edited?: boolean }

/** A label, what one types, and what is wrong with it. A wrong field keeps what was typed. */
export function Field({
  label,
  hint,
  problem,
  edited = false,
  className = '',
  ...rest
}: Around & ComponentProps<'input'>) {
  const { ids, around } = useAround({ label, hint, problem })
  return around(<input {...rest} {...ids} className={`input ${edited ? 'edited' : ''} ${className}`} />)
}

export function TextField({ label, hint, problem, edited = false, ...rest }: Around & ComponentProps<'textarea'>) {
  const { ids, around } = useAround({ label, hint, problem })
  return around(<textarea {...rest} {...ids} className={`input ${edited ? 'edited' : ''}`} />)
}

/** The browser's own choice: quick, and right on a phone. */
export function Select({ label, hint, problem, edited = false, ...rest }: Around & ComponentProps<'select'>) {
  const { ids, around } = useAround({ label, hint, problem })
  return around(<select {...rest} {...ids} className={`select ${edited ? 'input edited' : ''}`} />)
}

function useAround({ label, hint, problem }: Around) {
  const id = useId()
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  const ids = { id, 'aria-invalid': problem ? true : undefined, 'aria-describedby': described || undefined }
  const around = (control: ReactNode) => (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {control}
      {problem && (
        <p className="problem" id={`${id}-problem`}>
          <Icon of={TriangleAlert} />
          {problem}
        </p>
      )}
      {hint && (
        <p className="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
  return { ids, around }
}
