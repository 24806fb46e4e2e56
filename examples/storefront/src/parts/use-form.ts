import type { KontorError } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { wordsOf } from './notices.tsx'

type State = { isSending: boolean; error?: KontorError }

/** A form's values, and sending them once at a time. Errors go to the field that they name, others above the button. */
export function useForm<Values extends Record<string, string>>(
  initial: Values,
  send: (values: Values) => Promise<void>,
) {
  const [values, setValues] = useState(initial)
  const [state, setState] = useState<State>({ isSending: false })
  const { error, isSending } = state

  async function submit(event: Event) {
    event.preventDefault()
    if (isSending) return
    setState({ isSending: true })
    try {
      await send(values)
      setState({ isSending: false })
    } catch (failure) {
      setState({ isSending: false, error: failure as KontorError })
    }
  }

  return {
    values,
    error,
    isSending,
    submit: (event: Event) => void submit(event),
    /** What a `Field` of that name needs. */
    field: (name: keyof Values & string) => ({
      name,
      value: values[name] ?? '',
      problem: error?.details.find(({ field }) => field === name)?.message,
      onValue: (value: string) => setValues((before) => ({ ...before, [name]: value })),
    }),
    /** What is wrong, unless a field says it. */
    problem: error && !error.details.some(({ field }) => field in values) ? wordsOf(error) : '',
  }
}
