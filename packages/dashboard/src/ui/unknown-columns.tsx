import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ArrowRight, Info, TriangleAlert } from 'lucide-react'
import { Fragment } from 'react'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'

type Column = { name: string; suggestions: readonly string[] }

/** The columns of a file that are not imported, with suggested names. */
export function UnknownColumns({ columns, isDone }: { columns: readonly Column[]; isDone: boolean }) {
  const { t } = useLingui()
  if (columns.length === 0) return null
  const similar = columns.filter(({ suggestions }) => suggestions.length > 0)
  const others = columns.filter(({ suggestions }) => suggestions.length === 0)
  const names = others.map(({ name }) => name).join(', ')
  const title = isDone ? (
    <Plural value={columns.length} one="# column wasn’t imported." other="# columns weren’t imported." />
  ) : (
    <Plural value={columns.length} one="# column won’t be imported." other="# columns won’t be imported." />
  )
  return (
    <section className="page unknown-columns" aria-label={t`Columns not imported`}>
      <Notice
        tone={similar.length > 0 ? 'wait' : 'calm'}
        icon={similar.length > 0 ? TriangleAlert : Info}
        title={title}
        details={
          <>
            {similar.length > 0 && (
              <ul>
                {similar.map(({ name, suggestions }) => (
                  <li key={name}>
                    <code>{name}</code>
                    <Icon of={ArrowRight} />
                    <span>
                      {suggestions.map((column, index) => (
                        <Fragment key={column}>
                          {index > 0 && <span className="soft"> {t`or`} </span>}
                          <code className="meant">{column}</code>
                        </Fragment>
                      ))}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {others.length > 0 && (
              <p className="soft">
                <Trans>No matching field: {names}</Trans>
              </p>
            )}
          </>
        }
      >
        {similar.length > 0 ? t`To import them, rename them in the file and upload it again.` : null}
      </Notice>
    </section>
  )
}
