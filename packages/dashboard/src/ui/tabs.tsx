import type { ReactNode } from 'react'

/** Ways to see one list. Inside are links: every view is an address. `aria-current` marks the open one. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label} ref={(nav) => showCurrent(nav)}>
    {children}
  </nav>
)

/** How much of the next one is to be seen. */
const BESIDE = 32

/** On a phone they are wider than the screen: the open one is on it. */
function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector('[aria-current]')?.getBoundingClientRect()
  if (!nav || !current) return
  const { left, right } = nav.getBoundingClientRect()
  if (current.left < left) nav.scrollLeft -= left - current.left + BESIDE
  else if (current.right > right) nav.scrollLeft += current.right - right + BESIDE
}

export const Count = ({ children, person = false }: { children: ReactNode; person?: boolean }) => (
  <span className={person ? 'count person' : 'count'}>{children}</span>
)
