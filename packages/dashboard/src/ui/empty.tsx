import type { ReactNode } from 'react'

/** Says what belongs here and offers the first step, where the first row will be. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="empty">
    <h3>{title}</h3>
    {children && <p>{children}</p>}
    {action}
  </div>
)
