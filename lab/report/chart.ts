import { type Chart, formatFigure } from './figures.ts'

const WIDTH = 720
/** More of them would hide the line. */
const MAX_DOTS = 12
const INK = [
  '#2f6f8f',
  '#c8643c',
  '#5b8c5a',
  '#8a5a9e',
  '#b08a2e',
  '#7a8696',
  '#c2568c',
  '#3f9e9e',
  '#8f5b3c',
  '#93b53a',
]
/** Ends of an axis, times a power of ten, that have a round half. */
const ENDS = [1, 2, 3, 4, 5, 6, 8, 10]
const STYLE = `<style>text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600;font-size:14px}.dim{fill:#777}
.axis{stroke:#ccc}.goal{stroke:#c0392b;stroke-dasharray:4 3}@media(prefers-color-scheme:dark){text{fill:#ddd}.dim{fill:#999}
.axis{stroke:#555}}</style>`

/** A small picture without a library: it has to be readable on a light and on a dark page, and to differ only where figures do. */
export const drawChart = (chart: Chart): string => ('bars' in chart ? drawBars(chart) : drawLines(chart))

const svg = (height: number, title: string, body: string[]) =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    STYLE,
    `<text class="title" x="8" y="20">${escape(title)}</text>`,
    ...body,
    '</svg>\n',
  ].join('\n')

function drawBars({ title, unit, goal, bars }: Extract<Chart, { bars: unknown }>): string {
  const left = Math.min(300, 16 + 6.6 * Math.max(...bars.map(({ label }) => label.length)))
  const room = WIDTH - left - 130
  const most = Math.max(...bars.map(({ value }) => value), goal ?? 0, Number.MIN_VALUE)
  const body = bars.flatMap(({ label, value }, index) => {
    const y = 36 + index * 24
    const width = Math.max(1, (value / most) * room)
    return [
      `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escape(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${round(width)}" height="17" rx="2" fill="${INK[0]}"/>`,
      `<text class="dim" x="${round(left + width + 6)}" y="${y + 13}">${escape(`${formatFigure(value)} ${unit}`)}</text>`,
    ]
  })
  const height = 44 + bars.length * 24
  if (goal !== undefined) {
    const x = round(left + (goal / most) * room)
    body.push(`<line class="goal" x1="${x}" x2="${x}" y1="30" y2="${height - 10}"/>`)
  }
  return svg(height, title, body)
}

function drawLines({ title, unit, goal, x: name, isLogarithmic, lines }: Extract<Chart, { lines: unknown }>): string {
  const [left, top, width, height] = [64, 36, WIDTH - 84, 200]
  const points = lines.flatMap((line) => line.points)
  const scale = (value: number) => (isLogarithmic ? Math.log10(Math.max(value, 1e-9)) : value)
  const xs = points.map(([x]) => scale(x))
  const [least, most] = [Math.min(...xs), Math.max(...xs)]
  const highest = axisEnd(Math.max(...points.map(([, y]) => y), goal ?? 0))
  const toX = (x: number) => round(left + ((scale(x) - least) / (most - least || 1)) * width)
  const toY = (y: number) => round(top + height - (y / highest) * height)
  const body = [0, 0.5, 1].flatMap((share) => [
    `<line class="axis" x1="${left}" x2="${left + width}" y1="${toY(highest * share)}" y2="${toY(highest * share)}"/>`,
    `<text class="dim" x="${left - 6}" y="${toY(highest * share) + 4}" text-anchor="end">${formatFigure(highest * share)}</text>`,
  ])
  const marks = isLogarithmic
    ? [...new Set(points.map(([x]) => x))]
    : [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))]
  for (const x of marks) {
    const anchor = scale(x) === most && most > least ? 'end' : 'middle' // the last would stick out
    body.push(
      `<text class="dim" x="${toX(x)}" y="${top + height + 16}" text-anchor="${anchor}">${x.toLocaleString('en')}</text>`,
    )
  }
  body.push(`<text class="dim" x="${left + width}" y="${top + height + 32}" text-anchor="end">${escape(name)}</text>`)
  if (goal !== undefined)
    body.push(`<line class="goal" x1="${left}" x2="${left + width}" y1="${toY(goal)}" y2="${toY(goal)}"/>`)
  for (const [index, { label, points: own }] of lines.entries()) {
    const ink = INK[index % INK.length]
    const path = own.map(([x, y]) => `${toX(x)},${toY(y)}`).join(' ')
    body.push(`<polyline points="${path}" fill="none" stroke="${ink}" stroke-width="2"/>`)
    if (own.length <= MAX_DOTS) {
      body.push(...own.map(([x, y]) => `<circle cx="${toX(x)}" cy="${toY(y)}" r="3" fill="${ink}"/>`))
    }
    body.push(`<rect x="${left + 8}" y="${top + height + 26 + index * 18}" width="10" height="10" fill="${ink}"/>`)
    body.push(`<text x="${left + 24}" y="${top + height + 35 + index * 18}">${escape(label)}</text>`)
  }
  return svg(top + height + 44 + lines.length * 18, unit ? `${title} (${unit})` : title, body)
}

function axisEnd(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1e-9)))
  return power * (ENDS.find((end) => end * power >= most) ?? 10)
}

const round = (value: number) => Math.round(value * 10) / 10
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
