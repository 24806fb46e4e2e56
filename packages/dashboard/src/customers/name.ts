import { useLingui } from '@lingui/react/macro'
import type { Customer } from './types.ts'

/** What to call somebody of whom an order may have said little. */
export function useNameOf() {
  const { t } = useLingui()
  return ({ name, email, isErased }: Pick<Customer, 'name' | 'email' | 'isErased'>): string =>
    isErased ? t`Erased customer` : name || email || t`Without a name`
}
