import { type ReactNode, useEffect } from 'react'

/** The head of a page: its name, what is to be known at once, what can be done. */
export function Head({ title, facts, children }: { title: string; facts?: ReactNode; children?: ReactNode }) {
  usePageTitle(title)
  return (
    <header className="head">
      <h1>{title}</h1>
      {facts && <div className="facts-line soft hide-phone">{facts}</div>}
      {children && <div className="acts tight">{children}</div>}
    </header>
  )
}

export function usePageTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Kontor`
  }, [title])
}
