import { type ReactNode, useId } from 'react'

/** What it is about, and why, beside what can be done. */
export function Part({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="own-part" aria-labelledby={id}>
      <div className="about">
        <h2 id={id}>{title}</h2>
        {about && <p className="note">{about}</p>}
      </div>
      <div className="what">{children}</div>
    </section>
  )
}
