import { useNavigate, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

type Props = { business: string; order: string; className?: string; isRowLink?: boolean; children: ReactNode }

/**
 * The link of a row. That of the router follows every change of the address, each by itself: too much for a list that
 * draws a dozen new rows a frame.
 */
export function RowLink({ business, order, className, isRowLink = false, children }: Props) {
  const router = useRouter()
  const navigate = useNavigate()
  const target = { to: '/$business/orders/$order', params: { business, order } } as const
  const preload = () => void router.preloadRoute(target)
  const follow = (event: MouseEvent) => {
    const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isElsewhere || event.defaultPrevented) return
    event.preventDefault()
    void navigate(target)
  }
  return (
    <a
      href={`${router.basepath}/${encodeURIComponent(business)}/orders/${encodeURIComponent(order)}`}
      className={className}
      onClick={follow}
      onPointerEnter={preload}
      onFocus={preload}
      {...(isRowLink && { 'data-row-link': true })}
    >
      {children}
    </a>
  )
}
