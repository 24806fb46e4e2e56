import { type NavigateOptions, useNavigate, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

type Props = {
  target: NavigateOptions
  /** The address of the target, below that of the dashboard. */
  href: string
  className?: string
  isRowLink?: boolean
  isTile?: boolean
  children: ReactNode
}

/**
 * The link of a row. That of the router follows every change of the address, each by itself: too much for a list that
 * draws a dozen new rows a frame.
 */
export function RowLink({ target, href, className, isRowLink = false, isTile = false, children }: Props) {
  const router = useRouter()
  const navigate = useNavigate()
  const preload = () => void router.preloadRoute(target)
  const follow = (event: MouseEvent) => {
    const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isElsewhere || event.defaultPrevented) return
    event.preventDefault()
    void navigate(target)
  }
  return (
    <a
      href={`${router.basepath}${href}`}
      className={className}
      onClick={follow}
      onPointerEnter={preload}
      onFocus={preload}
      {...(isRowLink && { 'data-row-link': true })}
      {...(isTile && { 'data-tile': true })}
    >
      {children}
    </a>
  )
}
