import type { ReactNode } from 'react'

/** Ways to see one list. Inside are links: every view is an address. `aria-current` marks the open one. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
)

export const Count = ({ children, person = false }: { children: ReactNode; person?: boolean }) => (
  <span className={person ? 'count person' : 'count'}>{children}</span>
)
