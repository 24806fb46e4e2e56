import { useNavigate } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../session/use-business.ts'
import type { Section } from './sections.ts'

/** Goes to a section of the open business. */
export function useGo() {
  const navigate = useNavigate()
  const business = addressOf(useBusiness())
  return (to: Section['to']) => void navigate({ to, params: { business } })
}
