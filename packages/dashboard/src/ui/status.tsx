import type { ReactNode } from 'react'

/** The fill says how far it is: ring = to do, half = in part, full = done, unknown = not yet known, off = ended without. */
export type Fill = 'ring' | 'half' | 'full' | 'unknown' | 'off'
export type Tone = 'good' | 'wait' | 'alert' | 'act' | 'soft'

export const Dot = ({ fill = 'full', tone = 'soft', live = false }: { fill?: Fill; tone?: Tone; live?: boolean }) => (
  <span className={`dot ${fill === 'ring' ? '' : fill} ${tone === 'soft' ? '' : tone} ${live ? 'live' : ''}`} />
)

/** A word with a dot, never colour alone. */
export const Status = ({ children, ...dot }: Parameters<typeof Dot>[0] & { children: ReactNode }) => (
  <span className="status">
    <Dot {...dot} />
    {children}
  </span>
)
