import './columns.css'
import { type NavigateOptions, useNavigate, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { scaleOf } from './scale.ts'

/** One column of a chart: what it is of, what it says, and where the list behind it is. */
export type Column = {
  from: number
  /** Its time in words. */
  name: string
  /** Below the axis, as short as can be. */
  short: string
  /** Stacked, the first at the foot. */
  values: readonly number[]
  /** The same of the time before. */
  before?: number | undefined
  /** The figures in words. */
  said: string
  saidBefore?: string | undefined
  place?: { target: NavigateOptions; href: string } | undefined
  /** What the list is called. */
  opens?: string | undefined
}

type Props = {
  /** What it shows. */
  label: string
  columns: readonly Column[]
  /** Names of what is stacked, and of the mark for the time before. */
  legend: readonly string[]
  before?: string | undefined
  axis: (value: number) => string
  /** Only whole steps: things, not money. */
  isWhole?: boolean
  /** Said while nothing is pointed at. */
  children?: ReactNode
}

const MOST_LABELS = 7

/**
 * Columns over time, each a link to the list behind it. One stop for the Tab key, from which arrows lead on; a finger reads a
 * column first, and opens it with the link that is shown then.
 */
export function Columns({ label, columns, legend, before, axis, isWhole = false, children }: Props) {
  const router = useRouter()
  const navigate = useNavigate()
  const list = useRef<HTMLUListElement>(null)
  const finger = useRef(false)
  const [at, setAt] = useState<number>()
  const heights = columns.map(({ values }) => values.reduce((sum, value) => sum + Math.max(value, 0), 0))
  const { top, steps } = scaleOf(Math.max(0, ...heights, ...columns.map((column) => column.before ?? 0)), isWhole)
  const percent = (value: number) => `${(Math.max(value, 0) / top) * 100}%`
  const linked = columns.flatMap(({ place }, index) => (place ? [index] : []))
  const stop = at !== undefined && linked.includes(at) ? at : linked.at(-1)
  const every = Math.ceil(columns.length / MOST_LABELS)
  const shown = at === undefined ? undefined : columns[at]

  const open = (event: MouseEvent, target: NavigateOptions) => {
    const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isElsewhere) return
    event.preventDefault()
    if (!finger.current) void navigate(target)
  }
  const move = (event: KeyboardEvent) => {
    const index = linked.indexOf(at ?? linked.at(-1) ?? 0)
    const next = {
      ArrowLeft: linked[Math.max(index - 1, 0)],
      ArrowRight: linked[Math.min(index + 1, linked.length - 1)],
      Home: linked[0],
      End: linked.at(-1),
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll<HTMLElement>('.column')[next]?.focus()
  }
  /** By where the pointer is, so that a finger can be drawn over all of them. */
  const point = (event: PointerEvent) => {
    finger.current = event.pointerType === 'touch'
    const box = list.current?.getBoundingClientRect()
    if (!box || columns.length === 0) return
    const index = Math.floor(((event.clientX - box.left) / box.width) * columns.length)
    setAt(Math.min(Math.max(index, 0), columns.length - 1))
  }
  return (
    <figure className="columns" aria-label={label}>
      <div className="columns-said">
        {shown ? (
          <p>
            <span className="soft">{shown.name}</span> <b>{shown.said}</b>{' '}
            {shown.saidBefore && <span className="soft">{shown.saidBefore}</span>}{' '}
            {shown.place && (
              <a
                className="link only-phone"
                href={`${router.basepath}${shown.place.href}`}
                onClick={(event) => {
                  event.preventDefault()
                  if (shown.place) void navigate(shown.place.target)
                }}
              >
                {shown.opens}
              </a>
            )}
          </p>
        ) : (
          <p className="soft">{children}</p>
        )}
        <p className="legend soft" aria-hidden="true">
          {legend.map((name, index) => (
            <span key={name}>
              <i className={`part-${index}`} />
              {name}
            </span>
          ))}
          {before && (
            <span>
              <i className="mark" />
              {before}
            </span>
          )}
        </p>
      </div>
      <div className="columns-plot">
        <div className="columns-lines" aria-hidden="true">
          {steps.map((value) => (
            <span key={value} style={{ bottom: percent(value) }}>
              {axis(value)}
            </span>
          ))}
        </div>
        <ul
          ref={list}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={(event) => event.pointerType === 'mouse' && setAt(undefined)}
          onKeyDown={move}
        >
          {columns.map((column, index) => {
            const { from, name, said, saidBefore, values, place } = column
            const drawn = (
              <>
                {values.map((value, part) => (
                  <i key={legend[part]} className={`part-${part}`} style={{ height: percent(value) }} />
                ))}
                {column.before !== undefined && column.before > 0 && (
                  <i className="mark" style={{ bottom: percent(column.before) }} />
                )}
              </>
            )
            return (
              <li key={from} className={index === at ? 'at' : ''}>
                {place ? (
                  <a
                    className="column"
                    href={`${router.basepath}${place.href}`}
                    tabIndex={index === stop ? 0 : -1}
                    aria-label={[name, said, saidBefore].filter(Boolean).join(', ')}
                    onFocus={() => setAt(index)}
                    onBlur={() => finger.current || setAt(undefined)}
                    onClick={(event) => open(event, place.target)}
                  >
                    {drawn}
                  </a>
                ) : (
                  <span className="column">
                    {drawn}
                    <span className="unseen">{`${name}, ${said}`}</span>
                  </span>
                )}
              </li>
            )
          })}
        </ul>
      </div>
      <div className="columns-axis" aria-hidden="true">
        {columns.map(
          ({ from, short }, index) =>
            index % every === 0 && (
              <span key={from} style={{ insetInlineStart: `${((index + 0.5) / columns.length) * 100}%` }}>
                {short}
              </span>
            ),
        )}
      </div>
    </figure>
  )
}
