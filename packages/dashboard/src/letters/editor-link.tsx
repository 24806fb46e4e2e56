import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'

type Props = {
  newsletter: string
  /** `new` for one that does not exist yet. */
  entry: string
  className?: string
  children: ReactNode
}

/** Leads to where the letter is written. */
export function EditorLink({ newsletter, entry, className = 'button', children }: Props) {
  const business = addressOf(useBusiness())
  return (
    <Link
      to="/$business/content/$collection/$entry"
      params={{ business, collection: newsletter, entry }}
      className={className}
    >
      {children}
    </Link>
  )
}
