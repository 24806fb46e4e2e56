import type { LucideIcon } from 'lucide-react'

/** Lucide at 16 px, stroke 1.75, as the parts expect it. What it says is said beside it. */
export const Icon = ({ of: Drawing, big = false }: { of: LucideIcon; big?: boolean }) => (
  <Drawing className={big ? 'icon big' : 'icon'} strokeWidth={big ? 1.6 : 1.75} aria-hidden />
)
