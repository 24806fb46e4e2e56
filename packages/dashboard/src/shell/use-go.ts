import { useNavigate } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../session/use-business.ts'
import type { Section } from './sections.ts'

/** Goes to a section of the open business, or to the orders that wait to be packed. */
export function useGo() {
  const navigate = useNavigate()
  const business = addressOf(useBusiness())
  return {
    to: (to: Section['to']) => void navigate({ to, params: { business } }),
    toPack: () => void navigate({ to: '/$business/orders', params: { business }, search: { status: ['PROCESSING'] } }),
  }
}
