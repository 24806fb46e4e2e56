import { useEffect, useMemo, useRef, useState } from 'react'
import { fill, toInert } from './inert.ts'

const EMPTY = '<!doctype html><title>Letter</title>'
const LEAST_PX = 240

/** The letter in a frame of its own: its styles do not touch the page, and nothing in it can act. */
export function Frame({ html, title, isDark }: { html: string; title: string; isDark: boolean }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const inert = useMemo(() => toInert(html), [html])
  const [isOpen, setOpen] = useState(false)
  const [height, setHeight] = useState(LEAST_PX)
  useEffect(() => {
    const element = frame.current
    if (!isOpen || !element) return undefined
    fill(element, inert, isDark)
    const body = element.contentDocument?.body
    if (!body) return undefined
    const measure = () => setHeight(Math.max(LEAST_PX, Math.ceil(body.getBoundingClientRect().height)))
    const observer = new ResizeObserver(measure)
    observer.observe(body)
    return () => observer.disconnect()
  }, [inert, isDark, isOpen])
  return (
    <iframe
      ref={frame}
      className="mail-frame"
      title={title}
      sandbox="allow-same-origin" // without allow-scripts: the page fills it, and nothing in it runs
      srcDoc={EMPTY}
      onLoad={() => setOpen(true)}
      style={{ height }}
    />
  )
}
